import { connect, type Socket } from 'node:net';
import { AnswerReader, type Answer } from './answer-reader.js';

/** What a connection brings next: an answer, bytes that are none, its end, or nothing for too long. */
export type Came = Answer | 'garbage' | 'closed' | 'silent';

const SILENT_AFTER_MS = 20_000;
/** Bytes whose end is not certain are waited on so long before this side ends: to a server, a peer that ends at once has hung up. */
const UNSURE_MS = 30;

/** A raw connection to the server under test, kept alive while the server keeps it. */
export class Connection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #isClosed = false;
  #wake = (): void => {};

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk);
      this.#wake();
    });
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a request that ends where it says, and waits for its answer. */
  ask(bytes: Buffer, isHead: boolean): Promise<Came> {
    this.send(bytes);
    return this.#next(isHead, SILENT_AFTER_MS);
  }

  /** Sends whatever it is, and waits for everything that comes up to the end of the connection. */
  async tell(bytes: Buffer, isHead: boolean): Promise<Came[]> {
    this.send(bytes);
    const came = [await this.#next(isHead, UNSURE_MS)];
    this.#socket.end();
    if (came[0] === 'silent') came.pop();
    // What follows the first answer answers other bytes than the head that was meant.
    while (typeof came.at(-1) !== 'string') came.push(await this.#next(isHead && came.length === 0, SILENT_AFTER_MS));
    return came;
  }

  send(bytes: Buffer): void {
    if (!this.#isClosed) this.#socket.write(bytes);
  }

  /** Resolves when nothing more has come for a moment, or the connection has ended. */
  async settled(): Promise<void> {
    while (!this.#isClosed && (await this.#more(UNSURE_MS)));
  }

  /** Ends this side; resolves with what came of another protocol than HTTP, undefined when the server does not end its side. */
  async leave(): Promise<Buffer | undefined> {
    this.#socket.end();
    while (!this.#isClosed) if (!(await this.#more(SILENT_AFTER_MS))) return undefined;
    return this.#reader.rest;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async #next(isHead: boolean, ms: number): Promise<Came> {
    for (;;) {
      const next = this.#reader.next(isHead);
      if (next) return next;
      if (this.#isClosed) return 'closed';
      if (!(await this.#more(ms))) return 'silent';
    }
  }

  /** Resolves when more came or the connection ended; false when neither happened in time. */
  async #more(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const hasCome = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      timer = setTimeout(resolve, ms, false);
    });
    clearTimeout(timer);
    return hasCome;
  }
}
