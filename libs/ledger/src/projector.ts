import { isDeepStrictEqual } from 'node:util';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { LogPositions, Position, RecordBatch } from '@doorledger/event-log';
import { LedgerError } from './errors.js';
import { Places } from './places.js';
import { foldGroup, type Fault } from './projection/group.js';
import { readPlaces } from './queries/places.js';
import { readRetention } from './queries/retention.js';
import { SessionCache } from './session-cache.js';
import type { LedgerCommit, LedgerStore } from './store.js';

export interface ProjectorOptions {
  readonly store: LedgerStore;
  /** Partition count per topic name. */
  readonly topics: ReadonlyMap<string, number>;
  /** Records of one transaction, at most (1 000); one batch is never split. An embedded store holds up the event loop meanwhile. */
  readonly maxRecords?: number;
  /** A projection threw: the partition stands still until a release that mends it. */
  readonly onFault?: (fault: Fault) => void;
  /** The store does not answer; everything waits and is tried again. */
  readonly onOutage?: (error: unknown) => void;
  /** First wait after a store error, ms; it doubles up to 5 s. */
  readonly retryMs?: number;
}

export interface ProjectorHealth {
  /** Partitions that a bug stopped. */
  readonly faults: readonly Fault[];
  /** The store's last error while it does not answer. */
  readonly outage?: unknown;
  /** Why everything stopped for good. */
  readonly stoppedBy?: Error;
}

interface Queued {
  readonly batch: RecordBatch;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const LAST_RETRY_MS = 5000;
const taken = () =>
  new LedgerError('ERR_LEDGER_TAKEN', 'Another projector writes to this ledger: stop one of them, or give each its own ledger.');

/**
 * Log in, ledger rows out. Batches of several partitions that come while a commit is under way share the next one; rows and
 * places move in one transaction. Folding has no effect outside the store (X0).
 */
export class Projector {
  readonly #options: ProjectorOptions;
  readonly #places: Places;
  #retention: Map<string, number>;
  #sessions: SessionCache;
  readonly #queue: Queued[] = [];
  readonly #faults = new Map<string, Fault>();
  readonly #listeners = new Set<(topic: string, partition: number, next: number) => void>();
  readonly #closing = new AbortController();
  #running?: Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #outage?: unknown;
  #stoppedBy?: Error;

  private constructor(options: ProjectorOptions, places: Places, retention: Map<string, number>) {
    this.#options = options;
    this.#places = places;
    this.#retention = retention;
    this.#sessions = new SessionCache(options.store);
  }

  /** Starts from the places that the store holds. */
  static async open(options: ProjectorOptions): Promise<Projector> {
    const { times } = await readPlaces(options.store.db, options.topics);
    return new Projector(options, new Places(times), await readRetention(options.store.db));
  }

  /** The next offset per partition that is in the ledger. */
  get applied(): LogPositions {
    return this.#places.applied;
  }

  get health(): ProjectorHealth {
    return { faults: [...this.#faults.values()], outage: this.#outage, stoppedBy: this.#stoppedBy };
  }

  /** Calls `listener` after each commit with the next offset of every partition it moved. */
  onApplied(listener: (topic: string, partition: number, next: number) => void): void {
    this.#listeners.add(listener);
  }

  /** True once the record at `position` is in the ledger, false after `timeoutMs` (P3). */
  reach(position: Position, timeoutMs: number): Promise<boolean> {
    return this.#places.reach(position, timeoutMs);
  }

  /**
   * Resolves when the batch is in the ledger. A partition stopped by a bug takes its batches and applies none, so that the
   * others go on.
   * @throws LedgerError `ERR_LEDGER_TAKEN` when another projector moved a place: this one is over.
   */
  take(batch: RecordBatch): Promise<void> {
    if (this.#stoppedBy) return Promise.reject(this.#stoppedBy);
    return new Promise((resolve, reject) => {
      this.#queue.push({ batch, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /**
   * Runs `work` between two commits, while batches wait, and goes on with what the store holds then. For taking another
   * generation into use.
   * @throws LedgerError `ERR_LEDGER_TAKEN` where the store is at other places then: the projector stops.
   */
  betweenCommits(work: (applied: LogPositions) => Promise<void>): Promise<void> {
    return this.#alone(async () => {
      await work(this.applied);
      const { store, topics } = this.#options;
      const { positions } = await readPlaces(store.db, topics);
      if (!isDeepStrictEqual(positions, this.applied)) this.#stop(taken());
      this.#retention = await readRetention(store.db);
      this.#sessions = new SessionCache(store);
      if (this.#stoppedBy) throw this.#stoppedBy;
    });
  }

  /** Lets the running commit end. What was taken and not committed is left on the log. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stop(new LedgerError('ERR_LEDGER_CLOSED', 'The projector is shutting down.'));
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Batches delivered in one turn of the event loop share a commit, and others get their turn between two commits.
      await nextTurn();
      const group = this.#nextGroup();
      try {
        await this.#alone(() => this.#apply(group.map(({ batch }) => batch)));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error as Error);
        this.#stop(error as Error);
      }
    }
    // In the same turn as the last look at the queue: a batch that comes now starts anew.
    this.#running = undefined;
  }

  /** One at a time, in the order asked. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #nextGroup(): Queued[] {
    const { maxRecords = 1000 } = this.#options;
    let [count, records] = [0, 0];
    while (count < this.#queue.length && (count === 0 || records + this.#queue[count]!.batch.records.length <= maxRecords))
      records += this.#queue[count++]!.batch.records.length;
    return this.#queue.splice(0, count);
  }

  async #apply(batches: readonly RecordBatch[]): Promise<void> {
    const fresh = batches.flatMap((batch) => this.#notYetApplied(batch));
    if (fresh.length === 0) return;
    const folded = await this.#untilAnswered(() =>
      foldGroup(fresh, { places: this.#places, retention: this.#retention, checkOut: (some) => this.#sessions.checkOut(some) }),
    );
    for (const fault of folded.faults) this.#shout(fault);
    if (folded.advances.length === 0) return;
    await this.#commit(folded);
    this.#sessions.checkIn(folded.sessions);
    for (const { topic, partition, before } of folded.changes.cuts) {
      const name = `${topic}:${partition}`;
      this.#retention.set(name, Math.max(before, this.#retention.get(name) ?? 0));
    }
    for (const { topic, partition, to } of folded.advances) {
      this.#places.moved(topic, partition, to);
      for (const listener of this.#listeners) listener(topic, partition, to.next);
    }
  }

  /** A reader that was rebuilt delivers again what is under way here. */
  #notYetApplied(batch: RecordBatch): RecordBatch[] {
    const { topic, partition } = batch;
    const time = this.#places.at(topic, partition);
    if (!time || this.#faults.has(`${topic}:${partition}`)) return [];
    if (batch.records[0]!.offset >= time.next) return [batch];
    const records = batch.records.filter((record) => record.offset >= time.next);
    return records.length > 0 ? [{ topic, partition, records }] : [];
  }

  async #commit(commit: LedgerCommit): Promise<void> {
    let isRepeated = false;
    const outcome = await this.#untilAnswered(async () => {
      // A commit that failed may have happened: the places tell.
      if (isRepeated && (await this.#isThere(commit))) return 'committed';
      isRepeated = true;
      return this.#options.store.commit(commit);
    });
    if (outcome === 'stale') throw taken();
  }

  async #isThere({ advances }: LedgerCommit): Promise<boolean> {
    const { positions } = await readPlaces(this.#options.store.db, this.#options.topics);
    return advances.every(({ topic, partition, to }) => positions[topic]?.[partition] === to.next);
  }

  /** A database that is away is waited for: nothing is dropped. */
  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (let wait = this.#options.retryMs ?? 100; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      try {
        const answer = await ask();
        this.#outage = undefined;
        return answer;
      } catch (error) {
        if (this.#closing.signal.aborted) throw error;
        this.#outage = error;
        this.#options.onOutage?.(error);
      }
      await sleep(wait, undefined, { signal: this.#closing.signal });
    }
  }

  #shout(fault: Fault): void {
    this.#faults.set(`${fault.topic}:${fault.partition}`, fault);
    this.#options.onFault?.(fault);
  }

  #stop(error: Error): void {
    this.#stoppedBy ??= error;
    for (const { reject } of this.#queue.splice(0)) reject(this.#stoppedBy);
  }
}
