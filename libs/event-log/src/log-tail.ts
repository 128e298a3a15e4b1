import { LogRefusedError } from './errors.js';
import type { EventLog, LogPositions, Position, RecordBatch, Subscription } from './event-log.js';

export interface LogTailOptions {
  readonly log: EventLog;
  readonly from: LogPositions;
  /** Called with one batch at a time per partition, in offset order; awaited. What it throws stops the tail for good. */
  readonly deliver: (batch: RecordBatch) => void | Promise<void>;
  /** How often the watchdog compares the log's ends with the applied positions, ms. */
  readonly watchMs?: number;
  /** Told when reading was rebuilt (`stopped: false`) or cannot go on (`stopped: true`). */
  readonly onProblem?: (problem: { readonly error: Error; readonly stopped: boolean }) => void;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5000;

interface PositionWait {
  readonly position: Position;
  readonly reached: () => void;
}

const sameOrPast = (applied: LogPositions, { topic, partition, offset }: Position): boolean => (applied[topic]?.[partition] ?? 0) > offset;

/**
 * One reader over several topics that knows how far it has applied them, and is rebuilt by a watchdog when it stops moving
 * while the log grows (K9). Records before an applied position are never delivered again.
 */
export class LogTail {
  readonly #options: LogTailOptions;
  readonly #applied: Record<string, number[]> = {};
  readonly #waits = new Set<PositionWait>();
  #subscription?: Subscription;
  #watch?: NodeJS.Timeout;
  #closed = false;
  readonly #delivering = new Map<string, Promise<void>>();
  #stoppedBy?: Error;
  #moves = 0;
  #movesSeen = -1;
  #rebuilds = 0;
  #retryMs = FIRST_RETRY_MS;
  #retry?: NodeJS.Timeout;

  constructor(options: LogTailOptions) {
    this.#options = options;
    for (const [topic, offsets] of Object.entries(options.from)) this.#applied[topic] = [...offsets];
  }

  /** The next offset per partition: everything before it was applied. */
  get applied(): LogPositions {
    return this.#applied;
  }

  /** Why reading stopped for good, if it did. */
  get stoppedBy(): Error | undefined {
    return this.#stoppedBy;
  }

  get rebuilds(): number {
    return this.#rebuilds;
  }

  start(): void {
    this.#subscribe();
    const { watchMs = 2000 } = this.#options;
    this.#watch = setInterval(() => void this.#judge().catch(() => {}), watchMs);
    this.#watch.unref();
  }

  /** Resolves true once the record at `position` was applied, false after `timeoutMs`. */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    if (sameOrPast(this.#applied, position)) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), timeoutMs);
      const wait: PositionWait = { position, reached: () => settle(true) };
      const settle = (reached: boolean) => {
        clearTimeout(timer);
        this.#waits.delete(wait);
        resolve(reached);
      };
      this.#waits.add(wait);
    });
  }

  /** Resolves once everything that was on the log at the time of the call was applied. */
  async catchUp(timeoutMs: number): Promise<boolean> {
    const missing: Promise<boolean>[] = [];
    for (const topic of Object.keys(this.#applied)) {
      const ends = await this.#options.log.ends(topic);
      ends.forEach(({ end }, partition) => {
        if (end > 0) missing.push(this.reach({ topic, partition, offset: end - 1 }, timeoutMs));
      });
    }
    return (await Promise.all(missing)).every(Boolean);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#retry);
    await this.#subscription?.close();
  }

  #subscribe(): void {
    const subscription = this.#options.log.follow(this.#applied, (batch) => this.#take(batch, subscription));
    this.#subscription = subscription;
    subscription.failed.catch((error: Error) => {
      if (this.#closed || subscription !== this.#subscription) return;
      if (error instanceof LogRefusedError || error instanceof DeliveryError) this.#stop(error);
      else this.#retryLater(error);
    });
  }

  /** One batch of a partition at a time, also across a rebuild: the old subscription's last batch ends before the new one's first begins. */
  async #take(batch: RecordBatch, from: Subscription): Promise<void> {
    const place = `${batch.topic}/${batch.partition}`;
    for (let before = this.#delivering.get(place); before; before = this.#delivering.get(place)) await before;
    if (from !== this.#subscription) return;
    const taking = this.#apply(batch);
    const over = taking.then(
      () => void this.#delivering.delete(place),
      () => void this.#delivering.delete(place),
    );
    this.#delivering.set(place, over);
    await taking;
  }

  async #apply(batch: RecordBatch): Promise<void> {
    const { topic, partition } = batch;
    const next = this.#applied[topic]![partition]!;
    const records = batch.records[0]!.offset >= next ? batch.records : batch.records.filter((r) => r.offset >= next);
    if (records.length === 0) return;
    try {
      await this.#options.deliver(records === batch.records ? batch : { topic, partition, records });
    } catch (cause) {
      throw new DeliveryError(topic, partition, cause);
    }
    this.#applied[topic]![partition] = records[records.length - 1]!.offset + 1;
    this.#moves++;
    this.#retryMs = FIRST_RETRY_MS;
    for (const wait of this.#waits) if (sameOrPast(this.#applied, wait.position)) wait.reached();
  }

  async #judge(): Promise<void> {
    // A receiver at work is slow, not stalled.
    if (this.#closed || this.#stoppedBy || this.#delivering.size > 0) return;
    const moves = this.#moves;
    const behind = await this.#isBehind();
    if (behind && moves === this.#movesSeen && moves === this.#moves) this.#rebuild(new Error('The tail did not move while the log grew.'));
    this.#movesSeen = moves;
  }

  async #isBehind(): Promise<boolean> {
    for (const [topic, offsets] of Object.entries(this.#applied)) {
      const ends = await this.#options.log.ends(topic);
      if (ends.some(({ end }, partition) => end > offsets[partition]!)) return true;
    }
    return false;
  }

  #retryLater(error: Error): void {
    this.#retry = setTimeout(() => this.#rebuild(error), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }

  #rebuild(error: Error): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#rebuilds++;
    this.#options.onProblem?.({ error, stopped: false });
    const old = this.#subscription;
    this.#subscribe();
    void old?.close().catch(() => {});
  }

  #stop(error: Error): void {
    this.#stoppedBy = error;
    this.#options.onProblem?.({ error, stopped: true });
  }
}

/** What a batch's receiver threw: a bug or a refusal, never answered by reading again. */
class DeliveryError extends Error {
  constructor(topic: string, partition: number, cause: unknown) {
    super(`A batch of ${topic} partition ${partition} could not be applied.`, { cause });
  }
}
