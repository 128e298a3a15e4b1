import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import { hashOf } from '../route.js';
import { Shown } from '../view/shown.js';
import { Left } from '../view/small.js';
import { Empty, Loading, Problem } from '../view/states.js';
import { count, short, toolName } from '../words/names.js';
import type { StandingGrants } from './use-grants.js';

/** Grants in force, a row each, the newest first. */
export function GrantList({ of, opened }: { readonly of: StandingGrants; readonly opened: string | undefined }) {
  const who = useStore(me);
  if (of.problem) return <Problem of={of.problem} what="Grants cannot be shown, and old ones are not shown instead." again={of.again} />;
  if (!of.data) return <Loading what="The list" />;
  if (of.data.items.length === 0)
    return (
      <Empty title="No grant stands.">
        A grant lets calls like one that waits run unasked, as often and as long as it says. Give one where such a call waits: Allow such
        calls.
      </Empty>
    );
  return (
    <ul class="list">
      {of.data.items.map((grant) => (
        <li key={grant.grantId}>
          <a
            class="row"
            href={hashOf('inbox', grant.grantId, { view: 'grants' })}
            aria-current={opened === grant.grantId ? 'true' : undefined}
          >
            <span class="top">
              <b class="name">
                <Shown text={toolName(grant)} />
              </b>
              <Left until={grant.until} />
            </span>
            <span class="meta">
              <span>{grant.userRef === who?.userRef ? 'for you' : `for ${who?.open ? 'session' : 'user'} ${short(grant.userRef)}`}</span>
              <span>{count(grant.usesLeft, 'call')} left</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
