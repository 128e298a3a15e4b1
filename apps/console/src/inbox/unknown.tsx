import { hashOf } from '../route.js';
import { SessionLink, SessionName } from '../view/session-name.js';
import { Shown } from '../view/shown.js';
import { Ago, Chip, Digest, More, Time } from '../view/small.js';
import { Empty, Loading, Problem } from '../view/states.js';
import { toolName } from '../words/names.js';
import { Reconcile } from './reconcile.js';
import type { UnknownCalls } from './use-unknown.js';

const query = { view: 'unknown' } as const;

/** Calls that were sent and whose end nobody knows, a row each. */
export function UnknownList({ of, opened }: { readonly of: UnknownCalls; readonly opened: string | undefined }) {
  if (of.problem)
    return <Problem of={of.problem} what="These calls cannot be shown, and old ones are not shown instead." again={of.again} />;
  if (!of.data) return <Loading what="The list" />;
  if (of.items.length === 0)
    return (
      <Empty title="The end of every call is known.">
        A call stands here when it was sent and its host went away before the answer. It is never run again; a person says what became of
        it.
      </Empty>
    );
  return (
    <>
      <ul class="list">
        {of.items.map((call) => (
          <li key={call.callId}>
            <a class="row" href={hashOf('inbox', call.callId, query)} aria-current={opened === call.callId ? 'true' : undefined}>
              <span class="top">
                <b class="name">
                  <Shown text={toolName(call)} />
                </b>
                <Chip icon="unknown" tone="unk">
                  unknown
                </Chip>
              </span>
              <span class="meta">
                <span>
                  {call.sessionRef === undefined ? (
                    'no session'
                  ) : (
                    <>
                      session <SessionName of={call.sessionRef} />
                    </>
                  )}
                </span>
                {call.dispatchedAt !== undefined && (
                  <span>
                    sent <Ago iso={call.dispatchedAt} />
                  </span>
                )}
              </span>
            </a>
          </li>
        ))}
      </ul>
      <More of={of} />
    </>
  );
}

/** One such call: where it came from, and what somebody says of it. */
export function OpenedUnknown({ callId, of }: { readonly callId: string; readonly of: UnknownCalls }) {
  const call = of.met.get(callId);
  if (!call) return of.data ? <Settled /> : <Loading what="The call" />;
  const { sessionRef, requestId, dispatchedAt } = call;
  return (
    <article class="opened" aria-labelledby="call-title">
      <div class="body">
        <div class="crumb">
          <a class="back" href={hashOf('inbox', undefined, query)}>
            ‹ Inbox
          </a>
          <span>
            call <Digest of={callId} label="call’s id" />
          </span>
        </div>
        <div class="asks">
          <h1 id="call-title" tabIndex={-1}>
            What became of <Shown text={toolName(call)} mono />?
          </h1>
        </div>
        <dl class="facts">
          <div>
            <dt>Asked in</dt>
            <dd>{sessionRef === undefined ? 'a turn without a session' : <SessionLink of={sessionRef} />}</dd>
          </div>
          <div>
            <dt>Allowed by</dt>
            <dd>{requestId === undefined ? 'nobody was asked' : <a href={hashOf('inbox', requestId)}>the request</a>}</dd>
          </div>
          {dispatchedAt !== undefined && (
            <div>
              <dt>Sent</dt>
              <dd>
                <Time iso={dispatchedAt} withZone />
              </dd>
              <dd class="quiet">attempt {call.attempt}</dd>
            </div>
          )}
        </dl>
        <Reconcile call={call} isOpen={of.items.some((one) => one.callId === callId)} onSaid={of.again} />
      </div>
    </article>
  );
}

const Settled = () => (
  <div class="idle">
    <h2>The end of this call is known, or it is not for you to see.</h2>
    <p>The story of its session says what became of it.</p>
  </div>
);
