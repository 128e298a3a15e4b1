import type { ConsentItem } from '../data/types.js';
import { hashOf } from '../route.js';
import { Shown } from '../view/shown.js';
import { Ago, Chip, Left } from '../view/small.js';
import { short, toolName } from '../words/names.js';
import { outcomeOf } from '../words/outcome.js';

interface Props {
  readonly items: readonly ConsentItem[];
  readonly opened: string | undefined;
  readonly me: string | undefined;
  readonly seen: ReadonlySet<string>;
  /** Do not wait any more; they keep their place while somebody may point at them. */
  readonly gone: ReadonlySet<string>;
  /** Kept in the addresses of what is opened from here. */
  readonly query: Readonly<Record<string, string>> | undefined;
}

/** Requests, a row each. */
export const RequestList = ({ items, opened, me, seen, gone, query }: Props) => (
  <ul class="list">
    {items.map((item) => {
      const { requestId, state, party, rule, votes, decideBy, mintedAt } = item;
      const outcome = outcomeOf(item);
      const isGone = gone.has(requestId);
      const isNew = state === 'pending' && !isGone && !seen.has(requestId);
      return (
        <li key={requestId}>
          <a
            class={isNew ? 'row new' : 'row'}
            href={hashOf('inbox', requestId, query)}
            aria-current={opened === requestId ? 'true' : undefined}
          >
            <span class="top">
              <b class="name">
                <Shown text={toolName(item)} />
                {isNew && <span class="sr">, not opened yet</span>}
              </b>
              {isGone ? (
                <Chip icon="check" tone="off">
                  answered
                </Chip>
              ) : state === 'pending' ? (
                <Left until={decideBy} />
              ) : (
                <Chip icon={outcome.icon} tone={outcome.tone}>
                  {outcome.word}
                </Chip>
              )}
            </span>
            <span class="meta">
              <span>
                {party === undefined
                  ? 'somebody'
                  : party === me
                    ? 'you'
                    : party === item.sessionRef
                      ? 'an unchecked caller'
                      : `user ${short(party)}`}
              </span>
              {rule !== undefined && <Shown text={rule} mono />}
              {votes && (
                <span>
                  {votes.have} of {votes.need} votes
                </span>
              )}
              {mintedAt !== undefined && (
                <span>
                  asked <Ago iso={mintedAt} />
                </span>
              )}
            </span>
          </a>
        </li>
      );
    })}
  </ul>
);
