import { useState } from 'preact/hooks';
import { ask } from '../data/http.js';
import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { Grant } from '../data/types.js';
import { useDeed } from '../data/use-deed.js';
import { hashOf } from '../route.js';
import { announce } from '../view/announcer.js';
import { SessionLink } from '../view/session-name.js';
import { Shown } from '../view/shown.js';
import { Countdown, Digest, Person, Time } from '../view/small.js';
import { Loading, Problem } from '../view/states.js';
import { TwoPress } from '../view/two-press.js';
import { type Schema } from '../words/grant.js';
import { count, toolName } from '../words/names.js';
import { Covers } from './covers.js';
import type { StandingGrants } from './use-grants.js';

/** One grant: whose calls, which, how many more, by whom, and its end. */
export function OpenedGrant({ grantId, of }: { readonly grantId: string; readonly of: StandingGrants }) {
  const grant = of.met.get(grantId);
  const isInForce = of.data?.items.some((one) => one.grantId === grantId) ?? false;
  if (!grant)
    return of.data ? (
      <div class="idle">
        <h2>This grant is over, or it is not yours to see.</h2>
        <p>Calls that ran under it name it in the story of their sessions.</p>
      </div>
    ) : (
      <Loading what="The grant" />
    );
  const tool = toolName(grant);
  return (
    <article class="opened" aria-labelledby="grant-title">
      <div class="body">
        <div class="crumb">
          <a class="back" href={hashOf('inbox', undefined, { view: 'grants' })}>
            ‹ Inbox
          </a>
          <span>
            grant <Digest of={grantId} label="grant’s id" />
          </span>
          <span>
            given <Time iso={grant.createdAt} withZone />
          </span>
        </div>
        <div class="asks">
          <h1 id="grant-title" tabIndex={-1}>
            Calls of <Shown text={tool} mono /> {isInForce ? 'run' : 'ran'} unasked
          </h1>
          {isInForce && (
            <div class="clocks">
              <Countdown label="Ends" from={grant.createdAt} until={grant.until} />
            </div>
          )}
        </div>
        <Facts of={grant} />
        <section aria-labelledby="covers-title">
          <h2 id="covers-title">What it covers</h2>
          {grant.pattern ? (
            <Covers pattern={grant.pattern as Schema} />
          ) : (
            <p class="quiet">
              The pattern of its arguments is kept encrypted, and shown to whom it covers. Its hash is <Digest of={grant.schemaHash} />.
            </p>
          )}
        </section>
      </div>
      <Ending grantId={grantId} tool={tool} isInForce={isInForce} onEnded={of.again} />
    </article>
  );
}

function Facts({ of: { userRef, by, toolHash, usesLeft, count: most } }: { readonly of: Grant }) {
  const who = useStore(me);
  return (
    <dl class="facts">
      <div>
        <dt>Whose calls</dt>
        <dd>{who?.open ? <SessionLink of={userRef} /> : <Person of={userRef} me={who?.userRef} />}</dd>
        <dd class="quiet">nobody else’s</dd>
      </div>
      <div>
        <dt>Given by</dt>
        <dd>
          <Person of={by} me={who?.userRef} {...(who?.open && { session: userRef })} />
        </dd>
        <dd class="quiet">who stands for each use</dd>
      </div>
      <div>
        <dt>Left</dt>
        <dd>{count(usesLeft, 'call')}</dd>
        {most !== undefined && <dd class="quiet">of {most}</dd>}
      </div>
      <div>
        <dt>Tool’s definition</dt>
        <dd>
          <Digest of={toolHash} label="hash of the tool’s definition" />
        </dd>
        <dd class="quiet">changed, it is another tool</dd>
      </div>
    </dl>
  );
}

interface EndingProps {
  readonly grantId: string;
  readonly tool: string;
  readonly isInForce: boolean;
  readonly onEnded: () => void;
}

function Ending({ grantId, tool, isInForce, onEnded }: EndingProps) {
  const { isSending, problem, act } = useDeed();
  const [isEnded, setEnded] = useState(false);
  const end = () =>
    act(async () => {
      await ask(`/v1/grants/${grantId}`, { method: 'DELETE' });
      setEnded(true);
      announce('The grant is over.');
      onEnded();
    });
  return (
    <div class="actions">
      {isEnded || !isInForce ? (
        <p role="status">
          <b>The grant is over.</b> Calls of {tool} ask as usual.
        </p>
      ) : (
        <>
          {problem && <Problem of={problem} what="The grant is not known to be over." />}
          <TwoPress first="End this grant…" second="End it: such calls ask again" isSending={isSending} act={end} />
        </>
      )}
    </div>
  );
}
