import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { me, seesAll } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { IngressItem, Page, TimelineItem, ToolSessionItem } from '../data/types.js';
import { useAnswer } from '../data/use-answer.js';
import { usePages } from '../data/use-pages.js';
import { Reconcile } from '../inbox/reconcile.js';
import { useUnknown } from '../inbox/use-unknown.js';
import { hashOf, route } from '../route.js';
import { SessionName } from '../view/session-name.js';
import { CopyButton } from '../view/small.js';
import { Loading, Problem } from '../view/states.js';
import { count } from '../words/names.js';
import { isQuiet, spansOf } from '../words/story.js';
import { lasting } from '../words/time.js';
import { Line, eventsOf } from './story-lines.js';

const byPosition = ({ position }: TimelineItem) => position;

/** One session from door to tool to answer, in the log's order; what did not stand stays in its place. */
export function Story({ id, find }: { readonly id: string; readonly find: string }) {
  const { query } = useStore(route);
  const who = useStore(me);
  const path = encodeURIComponent(id);
  const on = ['turn.', 'consent.', 'tool-', 'session.', 'gate.'];
  const pages = usePages<TimelineItem>(`/v1/sessions/${path}/timeline?limit=100`, byPosition, { on, everyMs: 5000 });
  const tools = useAnswer<Page<ToolSessionItem>>(`/v1/tool-sessions?session=${path}&limit=100`, { on: ['tool-session.'], everyMs: 10_000 });
  const doors = useAnswer<Page<IngressItem>>(who && seesAll(who) ? `/v1/ingress?session=${path}&limit=100` : undefined, {
    on: ['turn.'],
    everyMs: 10_000,
  });
  const unknown = useUnknown(`&session=${path}`);
  const [hidesVoid, setHidesVoid] = useState(false);
  const [showsQuiet, setShowsQuiet] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), [id]);
  const { items } = pages;
  const events = useMemo(
    () => eventsOf(items, tools.data?.items ?? [], doors.data?.items ?? [], pages.hasMore),
    [items, tools.data, doors.data, pages.hasMore],
  );
  const spans = useMemo(() => spansOf(items), [items]);
  const wanted = query.get('at');
  useEffect(() => {
    if (wanted !== null && items.length > 0) document.getElementById(`at-${wanted}`)?.scrollIntoView({ block: 'center' });
  }, [wanted, items.length > 0]);
  if (pages.problem) return <Problem of={pages.problem} what="This session cannot be shown." again={pages.again} />;
  if (!pages.data) return <Loading what="The story" />;
  const voids = items.filter(({ verdict }) => verdict === 'void').length;
  const quiet = items.filter(isQuiet).length;
  const shown = events.filter((event) => !(hidesVoid && event.isVoid) && (showsQuiet || !event.isQuiet));
  const whole = spans.agent + spans.tools + spans.person;
  return (
    <article class="opened" aria-labelledby="story-title">
      <div class="body">
        <div class="crumb">
          <a class="back" href={hashOf('sessions', undefined, find === '' ? undefined : { find })}>
            ‹ Sessions
          </a>
          <span>
            reference{' '}
            <CopyButton quiet text={() => id}>
              {id}
            </CopyButton>
          </span>
        </div>
        <h1 id="story-title" ref={title} tabIndex={-1}>
          Session <SessionName of={id} />
        </h1>
        {whole > 0 && (
          <>
            <div class="ribbon" aria-hidden="true">
              {spans.parts.map(({ of, ms }, at) => (
                <i key={at} class={of} style={{ flexGrow: Math.max(ms, whole / 200) }} />
              ))}
            </div>
            <p class="legend">
              <span class="agent">agent {lasting(spans.agent)}</span>
              <span class="tools-time">tools {lasting(spans.tools)}</span>
              <span class="person">waiting for a person {lasting(spans.person)}</span>
            </p>
          </>
        )}
        <div class="buttons story-buttons">
          {voids > 0 && (
            <button type="button" class="button small" aria-pressed={hidesVoid} onClick={() => setHidesVoid(!hidesVoid)}>
              {hidesVoid ? 'Show' : 'Hide'} {count(voids, 'void attempt')}
            </button>
          )}
          {quiet > 0 && (
            <button type="button" class="button small" aria-pressed={showsQuiet} onClick={() => setShowsQuiet(!showsQuiet)}>
              {showsQuiet ? 'Hide' : 'Show'} {count(quiet, 'step or renewal', 'steps and renewals')}
            </button>
          )}
        </div>
        {[...unknown.met.values()].map((call) => (
          <Reconcile
            key={call.callId}
            call={call}
            isOpen={unknown.items.some(({ callId }) => callId === call.callId)}
            onSaid={pages.again}
          />
        ))}
        <ol class="timeline">
          {shown.map((event, at) => (
            <Line key={event.position} event={event} before={shown[at - 1]} session={id} isAt={event.position === wanted} />
          ))}
        </ol>
        {pages.hasMore && (
          <button type="button" class="button" onClick={pages.more}>
            Show what came then
          </button>
        )}
      </div>
    </article>
  );
}
