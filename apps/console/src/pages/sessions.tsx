import { useDraft } from '../data/drafts.js';
import { me, seesAll } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { SessionItem } from '../data/types.js';
import { usePages } from '../data/use-pages.js';
import { go, hashOf, route } from '../route.js';
import { useRowKeys } from '../view/row-keys.js';
import { SessionName } from '../view/session-name.js';
import { Ago, AsOf, Chip, More } from '../view/small.js';
import { Empty, Loading, Problem } from '../view/states.js';
import { count, short } from '../words/names.js';
import { Story } from './story.js';

const idOf = ({ sessionRef }: SessionItem) => sessionRef;

/** What happened in a session, in the log's order. */
export function SessionsPage() {
  const { id, query } = useStore(route);
  const who = useStore(me);
  const find = query.get('find') ?? '';
  const [typed, setTyped] = useDraft('sessions');
  const sought = find === '' ? '' : `&find=${encodeURIComponent(find)}`;
  const pages = usePages<SessionItem>(`/v1/sessions?limit=50${sought}`, idOf, { on: ['turn.', 'consent.', 'session.'], everyMs: 5000 });
  const search = (event: Event) => {
    event.preventDefault();
    go('sessions', undefined, typed.trim() === '' ? undefined : { find: typed.trim() });
  };
  useRowKeys(id === undefined ? undefined : () => go('sessions', undefined, find === '' ? undefined : { find }));
  return (
    <div class={id === undefined ? 'two' : 'two open'}>
      <section class="column" aria-label="Sessions">
        <header class="column-head">
          <h1>Sessions</h1>
          <p>
            {pages.data && (
              <b>
                {count(pages.items.length, 'session')}
                {pages.hasMore ? ' or more' : ''}
                {find === '' ? (who && !seesAll(who) ? ' of yours' : '') : ' found'}.
              </b>
            )}{' '}
            Newest first. <AsOf at={pages.asOf} />
          </p>
          <form role="search" onSubmit={search}>
            <input
              type="search"
              class="input"
              aria-label="Find sessions by session, user, turn, request or position"
              placeholder="Session, user, turn, request or position"
              value={typed || find}
              onInput={({ currentTarget }) => {
                setTyped(currentTarget.value);
                if (currentTarget.value === '' && find !== '') go('sessions', id);
              }}
            />
          </form>
        </header>
        {pages.problem ? (
          <Problem of={pages.problem} what="Sessions cannot be shown, and old ones are not shown instead." again={pages.again} />
        ) : !pages.data ? (
          <Loading what="The list" />
        ) : pages.items.length === 0 ? (
          find === '' ? (
            <Empty
              title="No session is on the log yet."
              command={`curl -s ${location.origin}/invoke -H 'content-type: application/json' -d '{"sessionId": "first", "input": "hello"}'`}
            >
              A session begins with its first message. This one then stands here, with every fact of it:
            </Empty>
          ) : (
            <Empty title="No session is found by that.">
              Search takes the whole of a session’s id, a user’s reference, a turn, a request or a position such as
              doorledger.session.v1:3:88, or the first four digits or more of a session’s reference.
            </Empty>
          )
        ) : (
          <>
            <ul class="list">
              {pages.items.map((item) => (
                <Row key={item.sessionRef} item={item} isOpen={item.sessionRef === id} find={find} />
              ))}
            </ul>
            <More of={pages} />
          </>
        )}
      </section>
      <section class="detail" aria-label="Opened session">
        {id === undefined ? (
          <div class="idle">
            <h2>Nothing is opened.</h2>
            <p>
              Choose a session: its story goes from the door to tools and people to the answer, with every attempt that did not stand and
              why.
            </p>
          </div>
        ) : (
          <Story key={id} id={id} find={find} />
        )}
      </section>
    </div>
  );
}

function Row({ item, isOpen, find }: { readonly item: SessionItem; readonly isOpen: boolean; readonly find: string }) {
  const { sessionRef, owner, turns, lastActivity, awaiting, closedAt, closedReason, blockedBy } = item;
  return (
    <li>
      <a class="row" href={hashOf('sessions', sessionRef, find === '' ? undefined : { find })} aria-current={isOpen ? 'true' : undefined}>
        <span class="top">
          <b class="name">
            <SessionName of={sessionRef} />
          </b>
          {blockedBy ? (
            <Chip icon="warn" tone="bad">
              blocked
            </Chip>
          ) : awaiting !== undefined ? (
            <Chip icon="clock" tone="acc">
              waits for a person
            </Chip>
          ) : (
            closedAt !== undefined && (
              <Chip icon="stop" tone="off">
                closed
              </Chip>
            )
          )}
        </span>
        <span class="meta">
          {owner !== undefined && <span>user {short(owner)}</span>}
          <span>{count(turns, 'turn')}</span>
          <Ago iso={lastActivity} />
          {closedReason !== undefined && <span>{closedReason}</span>}
        </span>
      </a>
    </li>
  );
}
