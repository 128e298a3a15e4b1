import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Request } from './connection.js';
import { eventFrames, type EventFrame } from './event-frames.js';
import { RequestError, refusalIn, unanswered } from './request-error.js';
import { endOf, type TurnEvent } from './turn-end.js';

const EVENTS = { accept: 'text/event-stream' } as const;
const RESUMES = 5;
const AGAIN_MS = 500;

/** How far a stream was read. */
interface Read {
  turnId?: string;
  n: number;
}

/**
 * The events of a turn, the last one its end. A connection that breaks is resumed where it broke (D23), once the turn has a name: it is never
 * asked for anew. @throws RequestError
 */
export async function* turnEvents(connection: Connection, asking: Request): AsyncGenerator<TurnEvent, void> {
  const read: Read = { n: 0 };
  let broken: RequestError | undefined;
  for (let attempt = 0; attempt <= RESUMES; attempt++) {
    const request = attempt === 0 ? { ...asking, headers: { ...asking.headers, ...EVENTS } } : resuming(read, asking.signal);
    if (!request) break;
    if (attempt > 0) await sleep(AGAIN_MS, undefined, asking.signal ? { signal: asking.signal } : {});
    const { body } = await connection.send(request);
    const before = read.n;
    try {
      for await (const frame of eventFrames(body as AsyncIterable<Uint8Array>)) {
        const event = eventIn(frame, read);
        if (event) yield event;
        if (event?.kind === 'end') return;
      }
      broken = new RequestError('The stream ended before the turn.', { mayHaveRun: true });
    } catch (error) {
      if (error instanceof RequestError || asking.signal?.aborted) throw error;
      broken = unanswered(error);
    }
    // Whoever gets on a little each time may break as often as it likes.
    if (read.n > before) attempt = 0;
  }
  throw broken ?? new RequestError('The stream could not be read.', { mayHaveRun: true });
}

function resuming({ turnId, n }: Read, signal: AbortSignal | undefined): Request | undefined {
  if (turnId === undefined) return undefined;
  const headers = { ...EVENTS, 'last-event-id': `${turnId}:${n}` };
  return { path: `/v1/turns/${turnId}`, headers, repeating: 'repeatable', ...(signal && { signal }) };
}

/** Undefined for a frame that was read before. @throws RequestError for the end of a turn that failed */
function eventIn({ event, id, data }: EventFrame, read: Read): TurnEvent | undefined {
  const [turnId, count] = id?.split(':') ?? [];
  const n = Number(count);
  if (turnId !== undefined && Number.isSafeInteger(n)) {
    if (n <= read.n) return undefined;
    [read.turnId, read.n] = [turnId, n];
  }
  const body = JSON.parse(data) as Readonly<Record<string, unknown>>;
  switch (event) {
    case 'chunk':
      return { kind: 'chunk', text: String(body.text) };
    case 'complete':
    case 'awaiting':
      return { kind: 'end', end: endOf(body, read.turnId === undefined ? {} : { turnId: read.turnId }) };
    case 'error':
      throw refusalIn(body, read.turnId !== undefined);
    default:
      return { kind: 'progress', data: body };
  }
}
