import type { Connection, Request } from './connection.js';
import { endOf, placeIn, type EndBody, type TurnEnd, type TurnEvent } from './turn-end.js';
import { turnEvents } from './turn-stream.js';

export interface Asking {
  readonly sessionId?: string;
  /** 1 to 255 visible characters; it needs a session, or a token. With it a turn may be asked for again and runs once (D18). */
  readonly idempotencyKey?: string;
  /** Ends the request; the turn goes on or ends by the door's `onHangup`. */
  readonly signal?: AbortSignal;
}

/** A person's word on a call that waits. */
export interface Decision {
  readonly requestId: string;
  readonly approved: boolean;
  readonly note?: string;
  readonly value?: unknown;
  /** Where the door does not know who asks. */
  readonly by?: string;
}

export interface OwnSession {
  readonly sessionId: string;
  readonly savedAt: string;
  readonly messageCount: number;
  readonly awaiting: boolean;
}

export interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface Artifact {
  readonly ref: string;
  readonly meta: { readonly mimeType: string; readonly name?: string; readonly size: number; readonly expiresAt: string };
  /** Base64 */
  readonly data: string;
}

export interface DoorsOptions {
  /** Of the request door. */
  readonly path?: string;
}

/** The request door: turns, decisions of the one who asked, and operations on one's own sessions (docs/spec/1-doors.md). */
export class Doors {
  readonly #path: string;

  constructor(
    private readonly connection: Connection,
    { path = '/invoke' }: DoorsOptions = {},
  ) {
    this.#path = path;
  }

  /** @throws RequestError */
  turn(input: string, asking: Asking = {}): Promise<TurnEnd> {
    return this.#ended({ input }, asking);
  }

  /** The asker's own decision; resolves to how the turn that went on with it ended. @throws RequestError */
  decide(decision: Decision, asking: Asking & { readonly sessionId: string }): Promise<TurnEnd> {
    return this.#ended({ decision }, asking);
  }

  /** The same as `turn` piece by piece. @throws RequestError, while it is read */
  stream(input: string, asking: Asking = {}): AsyncGenerator<TurnEvent, void> {
    return turnEvents(this.connection, this.#asked({ input }, asking));
  }

  /** One's own sessions, the newest first. */
  async *sessions(): AsyncGenerator<OwnSession, void> {
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const body = { op: 'session-list', ...(cursor !== undefined && { cursor }) };
      const page = await this.#op<{ sessions: OwnSession[]; cursor?: string }>(body);
      yield* page.sessions;
      cursor = page.cursor;
    }
  }

  async transcript(sessionId: string): Promise<readonly Said[]> {
    const { transcript } = await this.#op<{ transcript: { messages: Said[] } }>({ op: 'session-transcript', sessionId });
    return transcript.messages;
  }

  async artifact(sessionId: string, ref: string): Promise<Artifact> {
    return (await this.#op<{ artifact: Artifact }>({ op: 'artifact-get', ref, sessionId })).artifact;
  }

  async #ended(body: object, asking: Asking): Promise<TurnEnd> {
    const response = await this.connection.send(this.#asked(body, asking));
    return endOf((await response.json()) as EndBody, placeIn(response));
  }

  #asked(body: object, { sessionId, idempotencyKey, signal }: Asking): Request {
    return {
      method: 'POST',
      path: this.#path,
      body: { ...body, ...(sessionId !== undefined && { sessionId }) },
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      repeating: idempotencyKey === undefined ? 'turn' : 'repeatable',
      ...(signal && { signal }),
    };
  }

  #op<T>(body: object): Promise<T> {
    return this.connection.json<T>({ method: 'POST', path: this.#path, body, repeating: 'repeatable' });
  }
}
