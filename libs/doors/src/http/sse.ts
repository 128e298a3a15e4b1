import type { ServerResponse } from 'node:http';
import type { Frame, TurnStream } from '../turns/turn-streams.js';

/** D23: a comment frame this often keeps proxies awake. */
const KEEP_ALIVE_MS = 15_000;

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** One frame as it goes over the wire, its blank line included. */
export type FrameText = (frame: Frame, turnId: string | undefined) => string;

/** D23: with the id that the stream is resumed by. */
const namedFrame: FrameText = ({ n, event, data }, turnId) => {
  const id = turnId === undefined ? '' : `id: ${turnId}:${n}\n`;
  return `event: ${event}\n${id}data: ${data}\n\n`;
};

/** One reader's event stream: frames of a turn out, each with the id it is resumed by. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #frameText: FrameText;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}, frameText: FrameText = namedFrame) {
    this.#response = response;
    this.#frameText = frameText;
    response.writeHead(200, { ...HEADERS, ...headers });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => response.write(': still here\n\n'), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  frame(frame: Frame, turnId: string | undefined): void {
    this.#response.write(this.#frameText(frame, turnId));
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#response.end();
  }
}

/**
 * Writes a turn's frames from after `after` on, until the turn or the reader ends; false when they are no longer kept. A reader that is
 * gone is forgotten by the turn (D24).
 */
export function streamTo(response: ServerResponse, events: EventStream, stream: TurnStream, after: number): boolean {
  const stop = stream.read(after, { frame: (frame) => events.frame(frame, stream.turnId), end: () => events.end() });
  if (!stop) return false;
  response.once('close', () => {
    stop();
    events.end();
  });
  return true;
}

/** D23: whether the caller asks for an event stream. */
export const wantsEvents = (accept: string | undefined): boolean => accept?.toLowerCase().includes('text/event-stream') === true;
