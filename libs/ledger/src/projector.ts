import { isDeepStrictEqual } from 'node:util';
import type { LogPositions, PartitionTime, Position, RecordBatch } from '@doorledger/event-log';
import { BatchQueue, type BatchQueueOptions, type Queued } from './batch-queue.js';
import { CommitLine, ledgerTaken } from './commit-line.js';
import { LedgerError } from './errors.js';
import { Outage, type OutageOptions } from './outage.js';
import { Places } from './places.js';
import { foldGroup, type Fault, type FoldedGroup } from './projection/group.js';
import { readPlaces } from './queries/places.js';
import { readRetention } from './queries/retention.js';
import { SessionCache } from './session-cache.js';
import type { LedgerStore } from './store.js';

export interface ProjectorOptions extends BatchQueueOptions, OutageOptions {
  readonly store: LedgerStore;
  /** Partition count per topic name. */
  readonly topics: ReadonlyMap<string, number>;
  /** A projection threw: the partition stands still until a release that mends it. */
  readonly onFault?: (fault: Fault) => void;
}

export interface ProjectorHealth {
  /** Partitions that a bug stopped. */
  readonly faults: readonly Fault[];
  /** The store's last error while it does not answer. */
  readonly outage?: unknown;
  /** Why everything stopped for good. */
  readonly stoppedBy?: Error;
}

/**
 * Log in, ledger rows out. Batches of several partitions share a commit; rows and places move in one transaction. While a
 * commit is under way the next one is folded on what it will leave. Folding has no effect outside the store (X0).
 */
export class Projector {
  readonly #options: ProjectorOptions;
  /** What is committed. */
  readonly #places: Places;
  /** By `topic:partition`: what is folded. */
  readonly #folded = new Map<string, PartitionTime>();
  readonly #commits: CommitLine;
  readonly #reading: Outage;
  readonly #writing: Outage;
  #retention: Map<string, number>;
  #sessions: SessionCache;
  readonly #queue: BatchQueue;
  readonly #faults = new Map<string, Fault>();
  readonly #listeners = new Set<(topic: string, partition: number, next: number) => void>();
  readonly #closing = new AbortController();
  #running?: Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #stoppedBy?: Error;

  private constructor(options: ProjectorOptions, places: Places, retention: Map<string, number>) {
    this.#options = options;
    this.#queue = new BatchQueue(options);
    this.#places = places;
    this.#retention = retention;
    this.#sessions = new SessionCache(options.store);
    this.#reading = new Outage(options, this.#closing.signal);
    this.#writing = new Outage(options, this.#closing.signal);
    this.#commits = new CommitLine({ store: options.store, topics: options.topics, outage: this.#writing });
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
    return { faults: [...this.#faults.values()], outage: this.#writing.error ?? this.#reading.error, stoppedBy: this.#stoppedBy };
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
      this.#queue.add({ batch, resolve, reject });
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
      await this.#commits.last;
      this.#throwIfStopped();
      await work(this.applied);
      const { store, topics } = this.#options;
      const { positions } = await readPlaces(store.db, topics);
      if (!isDeepStrictEqual(positions, this.applied)) this.#stop(ledgerTaken());
      this.#retention = await readRetention(store.db);
      this.#sessions = new SessionCache(store);
      this.#throwIfStopped();
    });
  }

  /** Lets the running commit end. What was taken and not committed is left on the log. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stop(new LedgerError('ERR_LEDGER_CLOSED', 'The projector is shutting down.'));
    await this.#running;
    await this.#commits.last;
  }

  async #run(): Promise<void> {
    while (!this.#queue.isEmpty) {
      await this.#queue.gathered();
      const before = this.#commits.last;
      await this.#alone(() => this.#fold(this.#queue.nextGroup()));
      // One commit is under way and one folded, at most.
      await before;
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

  /** Rejects nothing: whoever waits for the group is told. */
  async #fold(group: readonly Queued[]): Promise<void> {
    // Records are let go once they are folded, not when they are committed: these name none.
    const waiting = group.map(({ resolve, reject }) => ({ resolve, reject }));
    const fail = (error: Error): void => {
      for (const { reject } of waiting) reject(error);
      this.#stop(error);
    };
    try {
      const fresh = group.flatMap(({ batch }) => this.#notYetFolded(batch));
      const folded = await this.#reading.untilAnswered(() => this.#foldOn(fresh));
      for (const fault of folded.faults) this.#shout(fault);
      this.#goOnFrom(folded);
      this.#commits
        .add(folded, () => this.#committed(folded))
        .then(() => {
          for (const { resolve } of waiting) resolve();
        }, fail);
    } catch (error) {
      fail(error as Error);
    }
  }

  #foldOn(batches: readonly RecordBatch[]): Promise<FoldedGroup> {
    return foldGroup(batches, {
      places: { at: (topic, partition) => this.#timeAt(topic, partition) },
      retention: this.#retention,
      checkOut: (some) => this.#sessions.checkOut(some),
    });
  }

  /** The next group is folded on what this one will have left in the store. */
  #goOnFrom({ sessions, changes, advances }: FoldedGroup): void {
    this.#sessions.checkIn(sessions);
    for (const { topic, partition, before } of changes.cuts) {
      const name = `${topic}:${partition}`;
      this.#retention.set(name, Math.max(before, this.#retention.get(name) ?? 0));
    }
    for (const { topic, partition, to } of advances) this.#folded.set(`${topic}:${partition}`, to);
  }

  #committed({ sessions, advances }: FoldedGroup): void {
    this.#sessions.committed(sessions);
    for (const { topic, partition, to } of advances) {
      this.#places.moved(topic, partition, to);
      for (const listener of this.#listeners) listener(topic, partition, to.next);
    }
  }

  #timeAt(topic: string, partition: number): PartitionTime | undefined {
    return this.#folded.get(`${topic}:${partition}`) ?? this.#places.at(topic, partition);
  }

  /** A reader that was rebuilt delivers again what is under way here. */
  #notYetFolded(batch: RecordBatch): RecordBatch[] {
    const { topic, partition } = batch;
    const time = this.#timeAt(topic, partition);
    if (!time || this.#faults.has(`${topic}:${partition}`)) return [];
    if (batch.records[0]!.offset >= time.next) return [batch];
    const records = batch.records.filter((record) => record.offset >= time.next);
    return records.length > 0 ? [{ topic, partition, records }] : [];
  }

  #shout(fault: Fault): void {
    this.#faults.set(`${fault.topic}:${fault.partition}`, fault);
    this.#options.onFault?.(fault);
  }

  #throwIfStopped(): void {
    if (this.#stoppedBy) throw this.#stoppedBy;
  }

  #stop(error: Error): void {
    this.#stoppedBy ??= error;
    this.#commits.break(this.#stoppedBy);
    this.#queue.refuse(this.#stoppedBy);
  }
}
