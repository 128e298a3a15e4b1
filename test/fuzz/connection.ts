import { connect, type Socket } from 'node:net';
import { AnswerReader, type Answer } from './answer-reader.js';

/** What came back for some bytes. */
export interface Exchange {
  readonly answers: readonly Answer[];
  /** Bytes that are no HTTP answer came back. */
  readonly isGarbled: boolean;
  /** The server ended the connection. */
  readonly isClosed: boolean;
  /** Nothing more came for too long. */
  readonly isSilent: boolean;
}

const SILENT_AFTER_MS = 20_000;
/** A request whose end is not certain is ended from this side after so long: to a server, a peer that ends at once has hung up. */
const UNSURE_MS = 30;

/** A raw connection to the server under test, kept alive while the server keeps it. */
export class Connection {
  readonly #socket: Socket;
  readonly reader = new AnswerReader();
  #isClosed = false;
  #wake = (): void => {};

  private constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => {
      this.reader.push(chunk);
      this.#wake();
    });
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  static open(port: number): Connection {
    return new Connection(port);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(bytes: Buffer): void {
    if (!this.#isClosed) this.#socket.write(bytes);
  }

  /** Says that nothing more comes from this side. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Sends a request and waits for its answer; `isLast`: for all answers, up to the end of the connection. */
  async ask(bytes: Buffer, { isHead, isLast }: { readonly isHead: boolean; readonly isLast: boolean }): Promise<Exchange> {
    this.write(bytes);
    const answers: Answer[] = [];
    for (let isEnded = false; ; ) {
      const next = this.reader.next(isHead);
      if (next === 'garbage') return this.#exchange({ answers, isGarbled: true });
      if (next) answers.push(next);
      const isOver = this.#isClosed || (answers.length > 0 && (!isLast || answers.at(-1)!.status === 101));
      if (isOver && !(next && isLast)) return this.#exchange({ answers });
      if (next) continue;
      const isUnsure = isLast && !isEnded;
      const hasCome = answers.length === 0 && (await this.#more(isUnsure ? UNSURE_MS : SILENT_AFTER_MS));
      if (hasCome) continue;
      if (!isUnsure && !(await this.#more(SILENT_AFTER_MS))) return this.#exchange({ answers, isSilent: true });
      if (isUnsure) this.end();
      isEnded = true;
    }
  }

  #exchange({ answers, isGarbled = false, isSilent = false }: Partial<Exchange> & Pick<Exchange, 'answers'>): Exchange {
    return { answers, isGarbled, isSilent, isClosed: this.#isClosed };
  }

  /** Resolves when more came or the connection ended; false when neither happened in time. */
  async #more(ms: number): Promise<boolean> {
    if (this.#isClosed) return true;
    let timer: NodeJS.Timeout | undefined;
    const came = new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      timer = setTimeout(resolve, ms, false);
    });
    const isThere = await came;
    clearTimeout(timer);
    return isThere;
  }

  /** Resolves with everything that is left once the server has ended the connection; undefined when it does not. */
  async rest(): Promise<Buffer | undefined> {
    while (!this.#isClosed) if (!(await this.#more(SILENT_AFTER_MS))) return undefined;
    return this.reader.rest;
  }
}
