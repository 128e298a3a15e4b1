import { randomUUID } from 'node:crypto';
import type { CallProgress, CallTry } from '../call-end.js';
import { CallReplay } from './call-replay.js';

export type RequestId = string | number;

/** Why the transport says that no answer will come. */
export type AnswerLoss = 'stream-ended' | 'too-large';

/** What a call gives the ledger before it is sent. */
export interface IssuedCall {
  readonly replay: CallReplay;
  readonly onTry?: ((tried: CallTry) => void) | undefined;
  readonly once?: boolean | undefined;
  /** L2: false once its host may not send any more. */
  readonly maySend?: (() => boolean) | undefined;
  readonly onProgress?: (progress: CallProgress) => void;
  readonly onLoss: (loss: AnswerLoss) => void;
}

/** A marker that was issued, and the request it was matched to. */
export interface Ticket {
  readonly marker: string;
  readonly call: IssuedCall;
  entry?: CallEntry;
}

/** One `tools/call` in flight (M12). */
export interface CallEntry extends IssuedCall {
  readonly id: RequestId;
  /** A call of ours issued the marker it was sent with; else it is only counted. */
  readonly matched: boolean;
  /** Aborted: its series stops, and its request is given up (M12, M18). */
  readonly stop: AbortController;
  claimed: boolean;
}

/**
 * Which call a request belongs to (M10–M19), for one connection: marker → JSON-RPC id → HTTP request. Ids are held as they
 * are, so `1` and `"1"` are two (M11). After every call settled it is empty (M16).
 */
export class RequestLedger {
  readonly #issued = new Map<string, Ticket>();
  readonly #entries = new Map<RequestId, CallEntry>();
  readonly #waiting: (() => void)[] = [];
  #unclaimed = 0;
  /** Every `tools/call` that was sent on the connection (M19). */
  sent = 0;

  /** Entries and markers that are held. */
  get size(): number {
    return this.#entries.size + this.#issued.size;
  }

  /** When the last entry went. */
  whenEmpty(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** True while a request filed here has not been met by the HTTP side: only then are bodies worth reading (M11). */
  get isSending(): boolean {
    return this.#unclaimed > 0;
  }

  /** A marker for ONE request of this call. */
  issue(call: IssuedCall): Ticket {
    const ticket: Ticket = { marker: randomUUID(), call };
    this.#issued.set(ticket.marker, ticket);
    return ticket;
  }

  /** Files the request under its id; a marker counts once. */
  file(id: RequestId, marker: unknown): CallEntry {
    const ticket = typeof marker === 'string' ? this.#issued.get(marker) : undefined;
    const entry: CallEntry = {
      ...(ticket?.call ?? { replay: new CallReplay(), onLoss: () => {} }),
      id,
      matched: ticket !== undefined,
      stop: new AbortController(),
      claimed: false,
    };
    if (ticket) {
      this.#issued.delete(ticket.marker);
      ticket.entry = entry;
    }
    this.#entries.set(id, entry);
    this.#unclaimed++;
    this.sent++;
    return entry;
  }

  isIssued(marker: unknown): boolean {
    return typeof marker === 'string' && this.#issued.has(marker);
  }

  /** L2, of the call that issued this marker. */
  maySend(marker: unknown): boolean {
    const ticket = typeof marker === 'string' ? this.#issued.get(marker) : undefined;
    return ticket?.call.maySend?.() !== false;
  }

  /** The HTTP side met the request with this id in the body it is about to send. */
  claim(id: RequestId): CallEntry | undefined {
    const entry = this.#entries.get(id);
    if (entry) this.#claimed(entry);
    return entry;
  }

  /** An answer with this id arrived. */
  answered(id: RequestId): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.replay.answered = true;
    if (!entry.matched) this.#remove(entry);
  }

  /** The server says how far the request with this id, which is its progress token, has come (M8). */
  progressed(id: RequestId, progress: CallProgress): void {
    this.#entries.get(id)?.onProgress?.(progress);
  }

  /** The answer to this id will not come whole. */
  lost(id: RequestId, loss: AnswerLoss): void {
    this.#entries.get(id)?.onLoss(loss);
  }

  /** `notifications/cancelled` for this id: its series stops now (M12). False where no call with this id is in flight. */
  cancel(id: RequestId): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    entry.stop.abort();
    if (!entry.matched) this.#remove(entry);
    return true;
  }

  /** The call settled: its marker, its entry and its series end with it. */
  settle(ticket: Ticket): void {
    ticket.call.replay.settled = true;
    this.#issued.delete(ticket.marker);
    if (!ticket.entry) return;
    ticket.entry.stop.abort();
    this.#remove(ticket.entry);
  }

  /** The connection closed: whatever is in flight on it stops. A matched entry goes when its call settles. */
  close(): void {
    for (const entry of [...this.#entries.values()]) this.cancel(entry.id);
  }

  #claimed(entry: CallEntry): void {
    if (entry.claimed) return;
    entry.claimed = true;
    this.#unclaimed--;
  }

  #remove(entry: CallEntry): void {
    this.#claimed(entry);
    if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
    if (this.#entries.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
