import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { me } from '../data/me.js';
import { store, useStore } from '../data/store.js';
import type { ConsentItem } from '../data/types.js';
import { usePages } from '../data/use-pages.js';
import { go, hashOf, route } from '../route.js';
import { announce } from '../view/announcer.js';
import { Choice } from '../view/field.js';
import { useKeys } from '../view/keys.js';
import { AsOf, More, useTick } from '../view/small.js';
import { Empty, Loading, Problem } from '../view/states.js';
import { count } from '../words/names.js';
import { left } from '../words/time.js';
import { RequestList } from './list.js';
import { Opened } from './opened.js';

/** How many wait, as far as the page knows: for the navigation and the tab. */
export const waitingCount = store<number | undefined>(undefined);

/** Requests that were opened in this tab. */
const seen = new Set<string>();

const NONE: ReadonlySet<string> = new Set();
const idOf = ({ requestId }: ConsentItem) => requestId;
const endOf = ({ decideBy, spendBy }: ConsentItem): number =>
  Math.min(...[decideBy, spendBy].map((iso) => (iso === undefined ? Infinity : Date.parse(iso))));

/** What ends first stands first; what has no end stands last, the oldest before the others. */
const bySoonest = (a: ConsentItem, b: ConsentItem): number =>
  (endOf(a) === endOf(b) ? 0 : endOf(a) - endOf(b)) || (a.mintedAt ?? '').localeCompare(b.mintedAt ?? '');

const TRY = `curl -s ${location.origin}/invoke -H 'content-type: application/json' \\
  -d '{"sessionId": "try", "input": "/call files.write_file {\\"path\\": \\"hello.txt\\", \\"content\\": \\"hello\\"}"}'`;

/** What needs a person, and what exactly they would allow. */
export function InboxPage() {
  const { id, query } = useStore(route);
  const who = useStore(me);
  const view = query.get('view') === 'answered' ? 'answered' : 'waiting';
  const following = { on: ['consent.', 'turn.paused', 'tool-call.', 'session.closed'], everyMs: 3000 };
  const waiting = usePages<ConsentItem>('/v1/consents?state=pending&limit=100', idOf, following);
  const all = usePages<ConsentItem>(view === 'answered' ? '/v1/consents?limit=50' : undefined, idOf, following);
  const shown = useHeld(waiting.items, waiting.data !== undefined);
  const answered = all.items.filter(({ state }) => state !== 'pending');
  const items = view === 'answered' ? answered : shown.items;
  const [at, setAt] = useState<string>();
  const kept = view === 'answered' ? { view } : undefined;
  if (id !== undefined) seen.add(id);

  const move = (by: number) => {
    if (items.length === 0) return;
    const index = items.findIndex(({ requestId }) => requestId === (at ?? id));
    const next = items[Math.min(items.length - 1, Math.max(0, index + by))]!.requestId;
    setAt(next);
    document.querySelector<HTMLElement>(`[data-request="${next}"]`)?.focus();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => at !== undefined && go('inbox', at, kept),
    ...(id !== undefined && { Escape: () => go('inbox', undefined, kept) }),
  });
  return (
    <div class={id === undefined ? 'two' : 'two open'}>
      <section class="column" aria-label="Requests">
        <header class="column-head">
          <h1>Inbox</h1>
          <First items={waiting.items} isMore={waiting.hasMore} isKnown={waiting.data !== undefined} asOf={waiting.asOf} />
          <Choice
            label="Which requests"
            of={[
              ['waiting', `Waiting${waiting.data ? ` ${waiting.items.length}${waiting.hasMore ? '+' : ''}` : ''}`],
              ['answered', 'Answered'],
            ]}
            chosen={view}
            choose={(next) => go('inbox', undefined, next === 'answered' ? { view: next } : undefined)}
          />
          {view === 'waiting' && shown.fresh > 0 && (
            <button type="button" class="button fresh" onClick={shown.show}>
              {count(shown.fresh, 'new call waits', 'new calls wait')}. Show {shown.fresh === 1 ? 'it' : 'them'}
            </button>
          )}
        </header>
        <Requests pages={view === 'answered' ? all : waiting} items={items} view={view}>
          <RequestList
            items={items}
            opened={id}
            at={at}
            me={who?.userRef}
            seen={seen}
            gone={view === 'waiting' ? shown.gone : NONE}
            query={kept}
          />
        </Requests>
      </section>
      <section class="detail" aria-label="Opened request">
        {id === undefined ? (
          <div class="idle">
            <h2>Nothing is opened.</h2>
            <p>
              Choose a request, or press <kbd>j</kbd> and <kbd>Enter</kbd>. Opening one shows its exact arguments; that somebody who decides
              has read them is a fact on the log.
            </p>
          </div>
        ) : (
          <Opened key={id} requestId={id} onReplaced={(next) => go('inbox', next)} list={hashOf('inbox', undefined, kept)} />
        )}
      </section>
    </div>
  );
}

function Requests({
  pages,
  items,
  view,
  children,
}: {
  readonly pages: ReturnType<typeof usePages<ConsentItem>>;
  readonly items: readonly ConsentItem[];
  readonly view: string;
  readonly children: preact.ComponentChildren;
}) {
  if (pages.problem)
    return <Problem of={pages.problem} what="Requests cannot be shown, and old ones are not shown instead." again={pages.again} />;
  if (!pages.data) return <Loading what="The list" />;
  if (items.length === 0 && !pages.hasMore)
    return view === 'answered' ? (
      <Empty title="Nothing was answered yet.">
        What is approved, declined, closed or expired stands here, and what became of its call.
      </Empty>
    ) : (
      <Empty title="Nothing waits." command={TRY}>
        A call stops here when its tool has a gate or a rule asks. With <code>npm start -- --config examples/tools.config.yaml</code> this
        one does:
      </Empty>
    );
  return (
    <>
      {children}
      <More of={pages} />
    </>
  );
}

function First({
  items,
  isMore,
  isKnown,
  asOf,
}: {
  readonly items: readonly ConsentItem[];
  readonly isMore: boolean;
  readonly isKnown: boolean;
  readonly asOf: number | undefined;
}) {
  const at = useTick();
  useEffect(() => waitingCount.set(isKnown ? items.length : undefined), [items.length, isKnown]);
  const soonest = Math.min(...items.map(endOf).filter((end) => end > at));
  return (
    <p>
      {isKnown && (
        <b>
          {items.length}
          {isMore ? ' or more' : ''} {items.length === 1 && !isMore ? 'call waits' : 'calls wait'} for a person.
        </b>
      )}{' '}
      {Number.isFinite(soonest) && <>The first ends in {left(soonest - at)}.</>} <AsOf at={asOf} />
    </p>
  );
}

/** The list as it is shown: what is new waits behind a button, and what was answered keeps its place until then. */
function useHeld(items: readonly ConsentItem[], isKnown: boolean) {
  const [ids, setIds] = useState<readonly string[]>();
  const byId = useMemo(() => new Map(items.map((item) => [item.requestId, item])), [items]);
  const sorted = () => [...items].sort(bySoonest).map(idOf);
  const isEmpty = ids === undefined || ids.every((id) => !byId.has(id));
  const held = isKnown && isEmpty ? sorted() : (ids ?? []);
  useEffect(() => {
    if (isKnown && isEmpty) setIds(sorted());
  }, [isKnown, isEmpty, items]);
  const known = new Set(held);
  const fresh = items.filter(({ requestId }) => !known.has(requestId)).length;
  useEffect(() => {
    if (fresh > 0) announce(`${count(fresh, 'new call waits', 'new calls wait')}.`);
  }, [fresh]);
  const remembered = useRef(new Map<string, ConsentItem>());
  for (const [id, item] of byId) remembered.current.set(id, item);
  const gone = new Set(held.filter((id) => !byId.has(id)));
  return { items: held.flatMap((id) => remembered.current.get(id) ?? []), gone, fresh, show: () => setIds(sorted()) };
}
