import type { PeerChannel } from '@doorledger/privacy';
import type { WebSocket } from 'ws';

/** The longest message: a turn's input, or a paused turn with its arguments. */
export const MAX_HOP_BYTES = 8 * 1024 * 1024;
/** What the other side has not taken yet; past it the other side is taken for gone. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;
const PING_EVERY_MS = 15_000;
const MISSED_PINGS = 2;

export interface HopEars<Heard> {
  heard(message: Heard): void;
  /** Once, whichever side ended it, and however. */
  closed(): void;
}

/** One side of a hop: sealed JSON messages over one WebSocket, in order, and the signs of life between them. */
export class HopSocket<Said extends object, Heard extends object> {
  readonly #socket: WebSocket;
  readonly #channel: PeerChannel;
  readonly #clock: NodeJS.Timeout;
  #ears?: HopEars<Heard>;
  #unanswered = 0;
  #isClosed = false;

  constructor(socket: WebSocket, channel: PeerChannel) {
    this.#socket = socket;
    this.#channel = channel;
    socket.on('message', (data) => this.#read(data as Buffer));
    socket.on('pong', () => (this.#unanswered = 0));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#over());
    this.#clock = setInterval(() => this.#beat(), PING_EVERY_MS).unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  listen(ears: HopEars<Heard>): void {
    this.#ears = ears;
  }

  say(message: Said): void {
    if (this.#isClosed) return;
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) return this.#socket.terminate();
    this.#socket.send(this.#channel.seal(JSON.stringify(message)));
  }

  /** What was said arrives first. */
  close(): void {
    this.#socket.close();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #read(data: Buffer): void {
    const text = this.#channel.open(data);
    if (text === undefined) return this.#socket.terminate();
    this.#ears?.heard(JSON.parse(text) as Heard);
  }

  #beat(): void {
    if (this.#unanswered >= MISSED_PINGS) return this.#socket.terminate();
    this.#unanswered++;
    this.#socket.ping();
  }

  #over(): void {
    this.#isClosed = true;
    clearInterval(this.#clock);
    this.#ears?.closed();
  }
}
