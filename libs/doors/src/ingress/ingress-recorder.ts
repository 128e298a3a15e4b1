import { currentTraceparent, encode, eventOf, topics, type EventOrigin, type Fact } from '@doorledger/contracts';
import { appendUntilDurable, type EventLog, type NewRecord } from '@doorledger/event-log';
import { CountBook } from './count-book.js';
import { floodReasonOf, isMergeable, type CountedReason } from './counted-reason.js';
import { FloodGate } from './flood-gate.js';
import type { IngressEntry, IngressLife } from './ingress-entry.js';
import { limits } from './limits.js';
import { RefusalLane } from './refusal-lane.js';

export type { CountedReason, IngressEntry };

export interface IngressRecorderOptions extends IngressLife {
  readonly log: Pick<EventLog, 'append'>;
  readonly origin: EventOrigin;
  /** Records not yet durable; past it the host is not ready. */
  readonly maxPending?: number;
  /** Told of each request once, at once: of one that the door decided, recorded or merged into a count, and of one that is no record. */
  readonly onFiled?: (entry: IngressEntry) => void;
  readonly onCounted?: (reason: CountedReason) => void;
}

/**
 * Gives each request of this host's life its gapless place (E11) and puts it on the log: as a record of its own, or as a part of an
 * exact count (E4, E6). What is indefinite, or what the log has no space for now, is appended again under the same event id
 * until it is known or the recorder closes.
 */
export class IngressRecorder {
  readonly #options: IngressRecorderOptions;
  readonly #filing = new Map<number, Promise<void>>();
  readonly #flood = new FloodGate();
  readonly #lane: RefusalLane;
  readonly #book: CountBook;
  #lastSeq = 0;
  #lostFrom = Infinity;
  #lost = 0;
  #isClosed = false;

  constructor(options: IngressRecorderOptions) {
    this.#options = options;
    const { hostId, bootId, origin } = options;
    this.#lane = new RefusalLane({
      recordOf: (entry, seq) => this.#recordOf(entry, seq),
      countOf: (count) => this.#encoded(hostId, { type: 'ingress.counted', data: { hostId, bootId, ...count.data() } }),
      append: (records) => this.#append(records),
    });
    this.#book = new CountBook({ now: origin.now, onClosed: (count) => this.#lane.offerCount(count) });
  }

  /** The last place given out. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The highest place before which every request is on the log. */
  get durableSeq(): number {
    const [filing = Infinity] = this.#filing.keys();
    const first = Math.min(filing, this.#lostFrom, this.#lane.firstSeq, this.#book.firstSeq ?? Infinity);
    return first === Infinity ? this.#lastSeq : first - 1;
  }

  /** Why this host should take no more requests, if it should not (E5). */
  get problem(): string | undefined {
    const { maxPending = limits.bufferedRecords } = this.#options;
    const unwritten = this.#lost + this.#lane.unwritten;
    if (unwritten > 0) return `${unwritten} ingress records could not be written`;
    return this.waiting > maxPending ? `${this.waiting} ingress records wait for the log` : undefined;
  }

  /** Records and closed counts that are not durable yet. */
  get waiting(): number {
    return this.#filing.size + this.#lane.size;
  }

  /** E1: takes a place now; resolves when the record is durable. Rejects only when it never will be. */
  file(entry: IngressEntry): Promise<void> {
    const seq = ++this.#lastSeq;
    this.#options.onFiled?.(entry);
    const filing = this.#file(entry, seq);
    this.#filing.set(seq, filing);
    const done = () => void this.#filing.delete(seq);
    filing.then(done, done);
    return filing;
  }

  /**
   * E3, E5, E8: takes a place now and returns at once; the record is written with others, or, past its cause's rate, is part of an
   * exact count (E6). Never throws.
   */
  fileRefusal(entry: IngressEntry): void {
    const seq = ++this.#lastSeq;
    this.#options.onFiled?.(entry);
    if (!isMergeable(entry)) return this.#lane.offer(seq, entry);
    const cause = floodReasonOf(entry);
    if (this.#flood.lets(cause, entry.at)) this.#lane.offer(seq, entry);
    else this.#count(cause, limits.floodWindowMs, seq, entry.at);
  }

  /** E4: takes a place for a request that is no record. */
  count(reason: CountedReason): void {
    this.#options.onCounted?.(reason);
    this.#count(reason, limits.minuteMs, ++this.#lastSeq, this.#options.origin.now());
  }

  /** Closes every count; resolves when nothing waits for the log any more. */
  async flushed(): Promise<void> {
    do {
      this.#book.closeAll();
      await this.#lane.flushed();
    } while (this.#book.firstSeq !== undefined);
    await Promise.allSettled(this.#filing.values());
  }

  /** Stops appending again what the log does not confirm. */
  close(): void {
    this.#isClosed = true;
  }

  async #file(entry: IngressEntry, seq: number): Promise<void> {
    let record: NewRecord;
    try {
      record = this.#recordOf(entry, seq, currentTraceparent());
    } catch (error) {
      this.#lane.countUnwritten(seq, this.#options.origin.now());
      throw error;
    }
    try {
      await this.#append([record]);
    } catch (error) {
      this.#lost++;
      this.#lostFrom = Math.min(this.#lostFrom, seq);
      throw error;
    }
  }

  #count(reason: string, windowMs: number, seq: number, at: number): void {
    if (!this.#book.add(reason, windowMs, seq, at)) this.#lane.countUnwritten(seq, at);
  }

  #append(records: readonly NewRecord[]): Promise<void> {
    return appendUntilDurable(this.#options.log, topics.ingress.name, records, () => this.#isClosed);
  }

  /** A refusal is written later, in a batch of several requests: it carries no trace. */
  #recordOf(entry: IngressEntry, seq: number, traceparent?: string): NewRecord {
    const { hostId, bootId } = this.#options;
    return this.#encoded(entry.sessionRef ?? hostId, { type: 'ingress.recorded', data: { ...entry, hostId, bootId, seq } }, traceparent);
  }

  #encoded(key: string, fact: Fact<'ingress.recorded' | 'ingress.counted'>, traceparent?: string): NewRecord {
    return { key, ...encode(eventOf(fact, this.#options.origin, traceparent)) };
  }
}
