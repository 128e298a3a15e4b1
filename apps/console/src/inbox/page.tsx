import { useEffect } from 'preact/hooks';
import { store, useStore } from '../data/store.js';
import type { ConsentItem } from '../data/types.js';
import { usePages } from '../data/use-pages.js';
import { GrantList } from '../grants/list.js';
import { OpenedGrant } from '../grants/opened.js';
import { useGrants } from '../grants/use-grants.js';
import { go, hashOf, route } from '../route.js';
import { Choice } from '../view/field.js';
import { useRowKeys } from '../view/row-keys.js';
import { AsOf, useTick } from '../view/small.js';
import { count } from '../words/names.js';
import { left } from '../words/time.js';
import { Opened } from './opened.js';
import { Requests, seen } from './requests.js';
import { OpenedUnknown, UnknownList } from './unknown.js';
import { endOf, useHeld } from './use-held.js';
import { useUnknown } from './use-unknown.js';

/** How many wait, as far as the page knows: for the navigation and the tab. */
export const waitingCount = store<number | undefined>(undefined);

const VIEWS = ['waiting', 'answered', 'unknown', 'grants'] as const;
type View = (typeof VIEWS)[number];

const NONE: ReadonlySet<string> = new Set();
const idOf = ({ requestId }: ConsentItem) => requestId;
const counted = ({ data, items, hasMore }: { data?: unknown; items: readonly unknown[]; hasMore: boolean }): string =>
  data ? ` ${items.length}${hasMore ? '+' : ''}` : '';

/** What needs a person, and what exactly they would allow. */
export function InboxPage() {
  const { id, query } = useStore(route);
  const view: View = VIEWS.find((name) => name === query.get('view')) ?? 'waiting';
  const following = { on: ['consent.', 'turn.paused', 'tool-call.', 'session.closed'], everyMs: 3000 };
  const waiting = usePages<ConsentItem>('/v1/consents?state=pending&limit=100', idOf, following);
  const all = usePages<ConsentItem>(view === 'answered' ? '/v1/consents?limit=50' : undefined, idOf, following);
  const unknown = useUnknown();
  const grants = useGrants(view === 'grants');
  const shown = useHeld(waiting.items, waiting.data !== undefined);
  const kept = view === 'waiting' ? undefined : { view };
  if (id !== undefined) seen.add(id);
  useRowKeys(id === undefined ? undefined : () => go('inbox', undefined, kept));
  return (
    <div class={id === undefined ? 'two' : 'two open'}>
      <section class="column" aria-label="Requests">
        <header class="column-head">
          <h1>Inbox</h1>
          <First items={waiting.items} isMore={waiting.hasMore} isKnown={waiting.data !== undefined} asOf={waiting.asOf} />
          <Choice
            label="Which requests"
            of={[
              ['waiting', `Waiting${counted(waiting)}`],
              ['answered', 'Answered'],
              ['unknown', `Unknown${unknown.items.length > 0 ? counted(unknown) : ''}`],
              ['grants', 'Grants'],
            ]}
            chosen={view}
            choose={(next) => go('inbox', undefined, next === 'waiting' ? undefined : { view: next })}
          />
          {view === 'waiting' && shown.fresh > 0 && (
            <button type="button" class="button fresh" onClick={shown.show}>
              {count(shown.fresh, 'new call waits', 'new calls wait')}. Show {shown.fresh === 1 ? 'it' : 'them'}
            </button>
          )}
        </header>
        {view === 'unknown' ? (
          <UnknownList of={unknown} opened={id} />
        ) : view === 'grants' ? (
          <GrantList of={grants} opened={id} />
        ) : view === 'answered' ? (
          <Requests view={view} pages={all} items={all.items.filter(({ state }) => state !== 'pending')} gone={NONE} opened={id} />
        ) : (
          <Requests view={view} pages={waiting} items={shown.items} gone={shown.gone} opened={id} />
        )}
      </section>
      <section class="detail" aria-label="Opened request">
        {id === undefined ? (
          <Idle view={view} />
        ) : view === 'unknown' ? (
          <OpenedUnknown key={id} callId={id} of={unknown} />
        ) : view === 'grants' ? (
          <OpenedGrant key={id} grantId={id} of={grants} />
        ) : (
          <Opened key={id} requestId={id} onReplaced={(next) => go('inbox', next)} list={hashOf('inbox', undefined, kept)} />
        )}
      </section>
    </div>
  );
}

const choose: Readonly<Record<View, string>> = {
  waiting: 'Opening a request shows its exact arguments; that somebody who decides has read them is a fact on the log.',
  answered: 'Opening a request shows who decided, what was tried beside it, and what became of the call.',
  unknown: 'Opening a call shows where it came from; an operator says there whether it ran.',
  grants: 'Opening a grant shows what runs unasked under it, and ends it.',
};

const Idle = ({ view }: { readonly view: View }) => (
  <div class="idle">
    <h2>Nothing is opened.</h2>
    <p>
      Choose one, or press <kbd>j</kbd> and <kbd>Enter</kbd>. {choose[view]}
    </p>
  </div>
);

interface FirstProps {
  readonly items: readonly ConsentItem[];
  readonly isMore: boolean;
  readonly isKnown: boolean;
  readonly asOf: number | undefined;
}

function First({ items, isMore, isKnown, asOf }: FirstProps) {
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
