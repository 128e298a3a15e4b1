import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Connection } from './connection.js';
import { RequestError, refusalIn, unanswered } from './request-error.js';
import type { Decision } from './doors.js';
import { endOf, type TurnEnd, type TurnEvent } from './turn-end.js';

export interface ConversationOptions {
  readonly sessionId?: string;
  readonly path?: string;
}

interface Frame {
  readonly id?: number;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly onEvent?: (event: TurnEvent) => void;
  readonly ended: (end: TurnEnd) => void;
  readonly failed: (error: RequestError) => void;
}

export interface Speaking {
  readonly onEvent?: (event: TurnEvent) => void;
  /** Ends the turn. */
  readonly signal?: AbortSignal;
}

/** One WebSocket to a host: a turn at a time, each answered piece by piece (C3). */
export class Conversation {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (text) => this.#heard(JSON.parse((text as Buffer).toString('utf8')) as Frame));
    socket.on('error', () => {});
    socket.once('close', () => {
      // Nobody can tell what became of what is not answered.
      for (const { failed } of this.#waiting.values()) failed(new RequestError('The conversation has ended.', { mayHaveRun: true }));
      this.#waiting.clear();
    });
  }

  /** @throws RequestError where the host does not take the conversation */
  static async open(connection: Connection, { sessionId, path = '/conversation' }: ConversationOptions = {}): Promise<Conversation> {
    const url = new URL(`${connection.url.replace(/^http/, 'ws')}${path}`);
    if (sessionId !== undefined) url.searchParams.set('sessionId', sessionId);
    const socket = new WebSocket(url, 'doorledger.v1', { headers: await connection.headers() });
    const conversation = new Conversation(socket);
    const refused = once(socket, 'unexpected-response').then(([, response]: { statusCode?: number }[]) => {
      socket.terminate();
      throw new RequestError(`The conversation was refused (${response?.statusCode}).`, {
        status: response?.statusCode,
        mayHaveRun: false,
      });
    });
    refused.catch(() => {});
    await Promise.race([once(socket, 'open'), refused]).catch((error: unknown) => {
      throw error instanceof RequestError ? error : unanswered(error);
    });
    return conversation;
  }

  /** @throws RequestError */
  turn(input: string, speaking: Speaking = {}): Promise<TurnEnd> {
    return this.#ask({ input }, speaking);
  }

  /** @throws RequestError */
  decide(decision: Decision, speaking: Speaking = {}): Promise<TurnEnd> {
    return this.#ask({ decision }, speaking);
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.close(1000);
    await closed;
  }

  #ask(fields: object, { onEvent, signal }: Speaking): Promise<TurnEnd> {
    const id = ++this.#lastId;
    return new Promise<TurnEnd>((ended, failed) => {
      if (this.socket.readyState !== WebSocket.OPEN) return failed(new RequestError('The conversation has ended.', { mayHaveRun: false }));
      this.#waiting.set(id, { ended, failed, ...(onEvent && { onEvent }) });
      signal?.addEventListener('abort', () => this.#waiting.has(id) && this.socket.send(JSON.stringify({ cancel: id })), { once: true });
      this.socket.send(JSON.stringify({ id, ...fields }));
    });
  }

  #heard({ id, event, data }: Frame): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (!waiting || id === undefined) return;
    if (event === 'chunk') return waiting.onEvent?.({ kind: 'chunk', text: String(data.text) });
    if (event === 'progress') return waiting.onEvent?.({ kind: 'progress', data });
    this.#waiting.delete(id);
    if (event === 'error') return waiting.failed(refusalIn(data, false));
    const end = endOf(data, {});
    waiting.onEvent?.({ kind: 'end', end });
    waiting.ended(end);
  }
}
