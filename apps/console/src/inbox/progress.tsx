import type { ConsentDetail, ToolCallItem } from '../data/types.js';
import { Person, Place } from '../view/small.js';
import { Icon } from '../view/icon.js';
import { lasting } from '../words/time.js';
import { outcomeOf } from '../words/outcome.js';

const SESSION_TOPIC = 'doorledger.session.v1';

interface Props {
  readonly detail: ConsentDetail;
  /** The call of the request, once the log says that it was dispatched; absent for who may not see it. */
  readonly call: ToolCallItem | undefined;
  readonly me: string | undefined;
}

/** What happened to a decision, each step only when the log says so. */
export function Progress({ detail, call, me }: Props) {
  const { state, became } = detail;
  const outcome = outcomeOf(detail);
  const spent = detail.attempts.find(({ kind, stands }) => kind === 'spent' && stands);
  if (state !== 'approved')
    return (
      <p class={outcome.tone}>
        <Icon name={outcome.icon} small /> <b>{outcome.word}</b> <span class="plain-text">{outcome.means}</span>
      </p>
    );
  const wasSent = call !== undefined || became.state === 'ran' || became.state === 'outcome-unknown' || became.state === 'did-not-run';
  const isEnded = became.state !== 'under-way';
  const steps: readonly (readonly [string, boolean, string | undefined])[] = [
    ['decision written', spent !== undefined || state === 'approved', undefined],
    ['it stands', true, undefined],
    ['sent', wasSent, call?.attempt && call.attempt > 1 ? `attempt ${call.attempt}` : undefined],
    [isEnded && became.state !== 'ran' ? outcome.word : 'finished', isEnded, endOf(call)],
  ];
  return (
    <div>
      <ol class="progress">
        {steps.map(([word, is, more]) => (
          <li key={word} class={is ? 'is' : undefined}>
            <Icon name={is ? 'check' : 'clock'} small />
            {word}
            {more !== undefined && <span class="quiet">{more}</span>}
            <span class="sr">{is ? 'yes' : 'not yet'}</span>
          </li>
        ))}
      </ol>
      <p class="quiet">
        {outcome.means}{' '}
        {call?.reconciledBy !== undefined && (
          <>
            So said <Person of={call.reconciledBy} me={me} />.{' '}
          </>
        )}
        {spent && <Place of={`${SESSION_TOPIC}:${spent.partition}:${spent.offset}`} />}
      </p>
    </div>
  );
}

function endOf(call: ToolCallItem | undefined): string | undefined {
  if (!call?.endedAt) return undefined;
  const time = call.durationMs === undefined ? '' : `, ${lasting(call.durationMs)}`;
  return `${call.status}${time}`;
}
