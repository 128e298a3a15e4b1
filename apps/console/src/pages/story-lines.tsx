import { useState } from 'preact/hooks';
import type { IngressItem, TimelineItem, ToolSessionItem } from '../data/types.js';
import { hashOf } from '../route.js';
import { Shown } from '../view/shown.js';
import { CopyButton } from '../view/small.js';
import { place, short } from '../words/names.js';
import { isQuiet, lineOf, voidReasonOf, type StoryLine } from '../words/story.js';
import { clock, lasting, moment } from '../words/time.js';
import { now } from '../data/http.js';

/** A line of the story with where and when it happened. */
export interface StoryEvent extends StoryLine {
  readonly at: number;
  /** Of the record; of what is told by a row, a name of its own. */
  readonly position: string;
  readonly isRecord: boolean;
  readonly isVoid: boolean;
  readonly isQuiet: boolean;
  readonly turnId?: string | undefined;
  /** The first line of its turn. */
  readonly isNewTurn?: boolean;
  /** A person was waited for before it. */
  readonly waitedMs?: number;
  readonly requestId?: string;
  readonly raw?: unknown;
}

/** Records of the session topic keep the log's order; what other topics say is put between them by its time. */
export function eventsOf(
  items: readonly TimelineItem[],
  tools: readonly ToolSessionItem[],
  doors: readonly IngressItem[],
  isCut: boolean,
): StoryEvent[] {
  let pausedAt: number | undefined;
  const records = items.map((item): StoryEvent => {
    const at = Date.parse(item.at);
    const stands = item.verdict === 'stands';
    const { requestId } = Object(item.data) as { readonly requestId?: string };
    const waitedMs = stands && pausedAt !== undefined && item.type !== 'consent.voted' ? at - pausedAt : undefined;
    if (stands && item.type === 'turn.paused') pausedAt = at;
    else if (waitedMs !== undefined) pausedAt = undefined;
    return {
      ...lineOf(item),
      at,
      position: item.position,
      isRecord: true,
      isVoid: item.verdict === 'void',
      isQuiet: isQuiet(item),
      turnId: item.turnId,
      ...(item.verdict === 'void' && { more: `Void: ${voidReasonOf(item.voidReason)}` }),
      ...(waitedMs !== undefined && { waitedMs }),
      ...(requestId !== undefined && { requestId }),
      raw: item,
    };
  });
  const beside = { isRecord: false, isVoid: false, isQuiet: false } as const;
  const others = [...tools.flatMap((session) => toolEvents(session, beside)), ...doors.flatMap((door) => doorEvents(door, beside))].sort(
    (a, b) => a.at - b.at,
  );
  const last = records.at(-1)?.at ?? 0;
  return merged(records, isCut ? others.filter(({ at }) => at <= last) : others);
}

type Beside = Pick<StoryEvent, 'isRecord' | 'isVoid' | 'isQuiet'>;

function toolEvents(
  { toolSessionId, server, scope, startedAt, closedAt, reason, calls, turnId, errorClass }: ToolSessionItem,
  beside: Beside,
): StoryEvent[] {
  const name = server ?? 'a server';
  const used = `${calls} call${calls === 1 ? '' : 's'}`;
  return [
    ...(startedAt === undefined
      ? []
      : [
          {
            ...beside,
            at: Date.parse(startedAt),
            position: `${toolSessionId}:start`,
            turnId,
            sentence: `A tool session was opened at ${name}`,
            more: `scope ${scope ?? '?'}`,
          },
        ]),
    ...(closedAt === undefined
      ? []
      : [
          {
            ...beside,
            at: Date.parse(closedAt),
            position: `${toolSessionId}:end`,
            sentence: `The tool session at ${name} was closed`,
            more: [reason, used, errorClass].filter((part) => part !== undefined).join(' · '),
            ...(errorClass !== undefined && { tone: 'bad' as const }),
          },
        ]),
  ];
}

/** A request is recorded when it is answered; it came as much earlier as it took. */
function doorEvents(
  { at, durationMs, door, op, outcome, errorCode, hostId, bootId, seq, turnId, userRef }: IngressItem,
  beside: Beside,
): StoryEvent[] {
  const who = userRef === undefined ? 'A caller' : `User ${short(userRef)}`;
  const position = `${hostId}:${bootId}:${seq}`;
  const answeredAt = Date.parse(at);
  const isServed = outcome === 'served';
  return [
    {
      ...beside,
      at: answeredAt - durationMs,
      position: `${position}:came`,
      turnId,
      sentence: `${who} came to the door`,
      more: [op ?? door, hostId].join(' · '),
    },
    {
      ...beside,
      at: answeredAt,
      position: `${position}:answered`,
      turnId,
      sentence: isServed ? 'The door answered' : 'The door turned the caller away',
      more: [outcome, errorCode, `after ${lasting(durationMs)}`].filter((part) => part !== undefined).join(' · '),
      tone: isServed ? 'ok' : outcome === 'failed' ? 'bad' : 'no',
    },
  ];
}

function merged(records: readonly StoryEvent[], others: readonly StoryEvent[]): StoryEvent[] {
  const all: StoryEvent[] = [];
  let next = 0;
  for (const record of records) {
    while (next < others.length && others[next]!.at < record.at) all.push(others[next++]!);
    all.push(record);
  }
  const met = new Set<string>();
  return [...all, ...others.slice(next)].map((event) => {
    const isNewTurn = event.turnId !== undefined && !met.has(event.turnId);
    if (isNewTurn) met.add(event.turnId);
    return { ...event, isNewTurn };
  });
}

interface LineProps {
  readonly event: StoryEvent;
  readonly before: StoryEvent | undefined;
  readonly session: string;
  readonly isAt: boolean;
}

export function Line({ event, before, session, isAt }: LineProps) {
  const [isRaw, setRaw] = useState(false);
  const { at, sentence, more, tone, isVoid, isRecord, position, waitedMs, requestId, turnId, raw } = event;
  const since = before === undefined ? undefined : at - before.at;
  return (
    <>
      {event.isNewTurn && turnId !== undefined && (
        <li class="turn-head">
          <b>Turn</b> <span class="mono">{short(turnId)}</span>
        </li>
      )}
      {waitedMs !== undefined && (
        <li class="gap">
          <span class="dot-cell" />
          <span>{lasting(waitedMs)} waiting for a person</span>
        </li>
      )}
      <li id={`at-${position}`} class={`line${isVoid ? ' void' : ''}${isAt ? ' at' : ''}`}>
        <span class="when">
          <time dateTime={new Date(at).toISOString()} title={new Date(at).toISOString()}>
            {before === undefined ? moment(at, now()) : clock(at)}
          </time>
          <small>{since === undefined ? 'start' : `+${lasting(Math.max(0, since))}`}</small>
        </span>
        <span class="dot-cell">
          <i class={`dot ${tone ?? ''}`} />
        </span>
        <span class="what">
          <span class="sentence">
            <Shown text={sentence} />
          </span>
          {more !== undefined && more !== '' && (
            <small>
              <Shown text={more} />
            </small>
          )}
          {requestId !== undefined && sentence.startsWith('The agent asked') && <a href={hashOf('inbox', requestId)}>the request</a>}
        </span>
        {isRecord ? (
          <button type="button" class="mono plain place" title={position} aria-expanded={isRaw} onClick={() => setRaw(!isRaw)}>
            {place(position)}
          </button>
        ) : (
          <span />
        )}
      </li>
      {isRaw && (
        <li class="raw">
          <pre tabIndex={0} aria-label={`The fact at ${position}`}>
            {JSON.stringify(raw, null, 2)
              .split('\n')
              .map((line, row) => (
                <div key={row}>
                  <Shown text={line} />
                </div>
              ))}
          </pre>
          <CopyButton text={() => position}>Copy the position</CopyButton>{' '}
          <a href={hashOf('sessions', session, { at: position })}>link to this line</a>
        </li>
      )}
    </>
  );
}
