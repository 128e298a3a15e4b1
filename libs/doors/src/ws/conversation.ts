import type { Presented } from '@doorledger/access';
import type { WebSocket } from 'ws';
import type { Caller } from '../caller.js';
import { fileEarly } from '../http/early-refusal.js';
import { readAsked, type Asked } from '../wire/asked.js';
import { uncoded, type Failure, type Terminal } from '../wire/terminal.js';
import type { ConversationOptions } from './conversation-options.js';
import { FrameRequest, answerTo } from './frame-request.js';
import { readFrame } from './frame.js';

/** What was known of a conversation when it began. */
export interface Entered {
  readonly caller: Caller;
  /** What each of its requests is judged by (C4). */
  readonly presented: Presented;
  /** The session of every request that names none. */
  readonly sessionId: string | undefined;
}

/** A timer of Node's goes no further. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const MISSED_PINGS = 2;

const isTurn = ({ kind }: Asked): boolean => kind === 'turn' || kind === 'decision';

/** One conversation after its 101: each frame in is a request of its own, with its own record and its own answer (C2 to C5, E9). */
export class Conversation {
  readonly #socket: WebSocket;
  readonly #entered: Entered;
  readonly #options: ConversationOptions;
  readonly #running = new Set<FrameRequest>();
  readonly #waiting: FrameRequest[] = [];
  #turn?: FrameRequest;
  #expiry?: NodeJS.Timeout;
  #unanswered = 0;
  #isLeaving = false;
  #isOver = false;

  constructor(socket: WebSocket, entered: Entered, options: ConversationOptions) {
    this.#socket = socket;
    this.#entered = entered;
    this.#options = options;
    socket.on('message', (data, isBinary) => this.#read(data as Buffer, isBinary));
    socket.on('pong', () => (this.#unanswered = 0));
    // The peer broke the protocol, and has been told how: 1002, 1007 or 1009 (C2).
    socket.on('error', () => this.#over());
    socket.on('close', () => this.#over());
    this.#expire();
  }

  get userRef(): string | undefined {
    return this.#entered.caller.userRef;
  }

  /** Ends it now; its requests follow D24. */
  end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#over();
    this.#socket.close(code, reason);
    // What the peer still says is read and dropped, up to its own goodbye.
    this.#socket.resume();
  }

  /** Ends it as soon as nothing of it is at work. */
  leave(): void {
    this.#isLeaving = true;
    if (this.#running.size === 0) this.end(1001, 'This host is closing.');
  }

  /** C5: one tick of the clock that all conversations share. */
  beat(): void {
    if (this.#isOver || this.#isTooSlow()) return;
    // While nothing is read from the socket, no pong can be seen.
    if (this.#socket.isPaused) return;
    if (this.#unanswered >= MISSED_PINGS) return this.#socket.terminate();
    this.#unanswered++;
    this.#socket.ping();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #read(data: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    if (isBinary) return this.end(1003, 'Frames are text here.');
    const frame = readFrame(data);
    switch (frame.kind) {
      case 'problem':
        this.#options.count('unparseable-body');
        return this.#send(answerTo(frame.id, uncoded(400, frame.sentence)));
      case 'cancel':
        for (const requests of [this.#running, this.#waiting]) for (const one of requests) if (one.id === frame.id) one.abort();
        return;
      case 'request': {
        const request = new FrameRequest(frame, (text) => this.#send(text));
        if (this.#running.size < this.#options.bounds.maxRequests) return this.#run(request);
        // What the socket had already handed over waits here; it hands over no more.
        this.#waiting.push(request);
        this.#socket.pause();
      }
    }
  }

  #run(request: FrameRequest): void {
    this.#running.add(request);
    this.#answer(request)
      .catch((fault: unknown) => {
        this.#options.onFault(fault);
        this.end(1011, 'Something went wrong here.');
      })
      .finally(() => this.#done(request));
  }

  #done(request: FrameRequest): void {
    this.#running.delete(request);
    if (this.#turn === request) this.#turn = undefined;
    const next = this.#waiting.shift();
    if (next) return this.#run(next);
    if (this.#socket.isPaused) this.#socket.resume();
    if (this.#isLeaving) this.leave();
  }

  async #answer(request: FrameRequest): Promise<void> {
    const terminal = await this.#judge(request);
    request.end(terminal);
    if (terminal.kind === 'fail' && terminal.code === 'ERR_IDENTITY_NOT_VERIFIED')
      this.end(1008, 'Your credential is not accepted any more.');
  }

  /** One request from its fields to its terminal, in the order of D5. */
  async #judge(request: FrameRequest): Promise<Terminal> {
    const { presented, sessionId } = this.#entered;
    const { unavailable, now, door } = this.#options;
    const bearerPresent = presented.bearer !== undefined;
    const startedAt = now();
    const early = (refused: Failure) => fileEarly(refused, { door: 'conversation', bearerPresent, startedAt }, this.#options);
    const away = unavailable();
    if (away) return early(away);
    const asked = readAsked(request.fields, sessionId);
    if ('refused' in asked) return early(asked.refused);
    if (isTurn(asked)) {
      if (this.#turn) request.isSecondTurn();
      else this.#turn = request;
    }
    return door.serve({ asked, presented, watch: request, signal: request.signal }, bearerPresent);
  }

  #send(text: string): void {
    if (!this.#isOver && !this.#isTooSlow()) this.#socket.send(text);
  }

  /** C5. Judged before a frame and not after it, so that one long answer is no reason. */
  #isTooSlow(): boolean {
    if (this.#socket.bufferedAmount <= this.#options.bounds.maxUnsentBytes) return false;
    this.end(1013, 'You read more slowly than you ask.');
    return true;
  }

  /** C4: ends with the credential it began with. */
  #expire(): void {
    const { expiresAt } = this.#entered.caller;
    if (expiresAt === undefined) return;
    const left = expiresAt - this.#options.now();
    if (left <= 0) return this.end(1008, 'Your credential has expired.');
    this.#expiry = setTimeout(() => this.#expire(), Math.min(left, LONGEST_TIMER_MS));
    this.#expiry.unref();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#expiry);
    if (this.#options.onHangup === 'abort') for (const requests of [this.#running, this.#waiting]) for (const one of requests) one.abort();
  }
}
