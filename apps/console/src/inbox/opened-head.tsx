import type { ComponentChildren, Ref } from 'preact';
import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { ConsentDetail, ShownCall } from '../data/types.js';
import { SessionLink } from '../view/session-name.js';
import { Shown } from '../view/shown.js';
import { Chip, Countdown, Digest, Time } from '../view/small.js';
import { outcomeOf } from '../words/outcome.js';

interface Props {
  readonly detail: ConsentDetail | undefined;
  readonly call: ShownCall | undefined;
  readonly tool: string;
  /** For whom the call acts. */
  readonly person: ComponentChildren;
  /** Where the list is. */
  readonly list: string;
  readonly title: Ref<HTMLHeadingElement>;
}

/** Who asks to do what, until when, and why a person is asked. */
export function OpenedHead({ detail, call, tool, person, list, title }: Props) {
  const who = useStore(me);
  const outcome = detail && outcomeOf(detail);
  const isOwn = detail?.party !== undefined && detail.party === who?.userRef;
  const isPending = (detail?.state ?? 'pending') === 'pending';
  return (
    <>
      <div class="crumb">
        <a class="back" href={list}>
          ‹ Inbox
        </a>
        {outcome && (
          <Chip icon={outcome.icon} tone={outcome.tone}>
            {outcome.word}
          </Chip>
        )}
        {call && (
          <span>
            digest <Digest of={call.digest} />
          </span>
        )}
        {detail?.sessionRef !== undefined && <SessionLink of={detail.sessionRef} />}
        {detail?.mintedAt !== undefined && (
          <span>
            asked <Time iso={detail.mintedAt} withZone />
          </span>
        )}
      </div>
      <div class="asks">
        <h1 id="opened-title" ref={title} tabIndex={-1}>
          {isOwn ? (
            isPending ? (
              'You ask'
            ) : (
              'You asked'
            )
          ) : (
            <>
              {person} {isPending ? 'asks' : 'asked'}
            </>
          )}{' '}
          to call <Shown text={tool} mono />
        </h1>
        {isPending && (
          <div class="clocks">
            <Countdown label="Decide by" from={detail?.mintedAt} until={detail?.decideBy ?? call?.decideBy} />
            <Countdown label="Run by" from={detail?.mintedAt} until={detail?.spendBy ?? call?.spendBy} />
          </div>
        )}
      </div>
      {call?.question !== undefined && (
        <p class="question">
          <Shown text={call.question} />
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Who asks</dt>
          <dd>{person}</dd>
          <dd class="quiet">
            {call?.asker ? (
              <>
                <Shown text={call.asker.subject} mono /> of <Shown text={call.asker.issuer} />
              </>
            ) : (
              'the call acts for them'
            )}
          </dd>
        </div>
        <div>
          <dt>Tool</dt>
          <dd>
            <Shown text={tool} mono />
          </dd>
          {detail?.toolHash !== undefined && (
            <dd class="quiet">
              definition <Digest of={detail.toolHash} label="hash of the tool’s definition" />
            </dd>
          )}
        </div>
        <div>
          <dt>Why you are asked</dt>
          <dd>{detail?.rule === undefined ? 'the tool’s own gate' : <Shown text={detail.rule} mono />}</dd>
          <dd class="quiet">{detail?.rule === undefined ? 'whatever the arguments are' : 'a rule of this deployment'}</dd>
        </div>
        {detail?.votes && (
          <div>
            <dt>Votes</dt>
            <dd>
              {detail.votes.have} of {detail.votes.need}
            </dd>
            <dd class="quiet">one who declines is enough to decline</dd>
          </div>
        )}
      </dl>
    </>
  );
}
