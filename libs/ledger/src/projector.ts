import { isDeepStrictEqual } from 'node:util';
import type { FactEvent } from '@doorledger/contracts';
import type { LogPositions, Position, RecordBatch } from '@doorledger/event-log';
import { BatchQueue, type BatchQueueOptions, type Queued } from './batch-queue.js';
import { CommitLine, ledgerTaken } from './commit-line.js';
import { LedgerError } from './errors.js';
import { Folding } from './folding.js';
import { Outage, type OutageOptions } from './outage.js';
import { Places } from './places.js';
import type { Fault, FoldedGroup } from './projection/group.js';
import { readPlaces } from './queries/places.js';
import { readRetention } from './queries/retention.js';
import type { LedgerPositions } from './reader.js';
import type { LedgerStore } from './store.js';

export interface ProjectorOptions extends BatchQueueOptions, OutageOptions {
  readonly store: LedgerStore;
  /** Partition count per topic name. */
  readonly topics: ReadonlyMap<string, number>;
  /** Other projectors fold other partitions into the same store. */
  readonly isShared?: boolean;
  /** Told what goes to public feeds before the ledger moves past it (V5): it is told again where the commit did not come to be. */
  readonly publish?: (news: readonly FactEvent[]) => Promise<void>;
  /** A projection threw: the partition stands still until a release that mends it. */
  readonly onFault?: (fault: Fault) => void;
  /** Told of each request for consent that a commit settles, by its verdict. */
  readonly onSettled?: (verdict: string) => void;
}

type AppliedListener = (topic: string, partition: number, next: number, records: number) => void;

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
  #folding: Folding;
  #commits: CommitLine;
  readonly #reading: Outage;
  readonly #writing: Outage;
  readonly #queue: BatchQueue;
  readonly #listeners = new Set<AppliedListener>();
  readonly #closing = new AbortController();
  #running?: Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #stoppedBy?: Error;

  private constructor(options: ProjectorOptions, { times }: LedgerPositions, retention: Map<string, number>) {
    this.#options = options;
    this.#queue = new BatchQueue(options);
    this.#places = new Places({ times, ...(options.isShared && { stored: () => this.places() }) });
    this.#folding = this.#foldOn(retention);
    const outage: OutageOptions = { ...options, onOutage: (error) => this.#tellOutage(error) };
    this.#reading = new Outage(outage, this.#closing.signal);
    this.#writing = new Outage(outage, this.#closing.signal);
    this.#commits = this.#newLine();
  }

  /** Starts from the places that the store holds. */
  static async open(options: ProjectorOptions): Promise<Projector> {
    const { db } = options.store;
    return new Projector(options, await readPlaces(db, options.topics), await readRetention(db));
  }

  /** The next offset per partition that is in the ledger; of partitions that another projector folds, as of the last `takeUp`. */
  get applied(): LogPositions {
    return this.#places.applied;
  }

  /** The next offset per partition that is in the ledger, whoever put it there. */
  async places(): Promise<LogPositions> {
    const { store, topics, isShared } = this.#options;
    return isShared ? (await readPlaces(store.db, topics)).positions : this.applied;
  }

  get health(): ProjectorHealth {
    return { faults: this.#folding.faults, outage: this.#writing.error ?? this.#reading.error, stoppedBy: this.#stoppedBy };
  }

  /** Calls `listener` after each commit with every partition it moved: its next offset, and by how much. */
  onApplied(listener: AppliedListener): void {
    this.#listeners.add(listener);
  }

  /** True once the record at `position` is in the ledger, false after `timeoutMs` (P3). */
  reach(position: Position, timeoutMs: number): Promise<boolean> {
    return this.#places.reach(position, timeoutMs);
  }

  /**
   * Resolves when the batch is in the ledger. A partition stopped by a bug takes its batches and applies none, so that the
   * others go on.
   * @throws LedgerError `ERR_LEDGER_TAKEN` when another projector moved a place: this one takes no more, unless it may `takeUp`.
   */
  take(batch: RecordBatch): Promise<void> {
    if (this.#stoppedBy) return Promise.reject(this.#stoppedBy);
    return new Promise((resolve, reject) => {
      this.#queue.add({ batch, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /**
   * Forgets everything that it knew and goes on from what the store holds now, also after another projector has moved a place: for a
   * reader that begins anew from the places this resolves with. To be called while no batch is being taken.
   * @throws LedgerError `ERR_LEDGER_CLOSED`
   */
  takeUp(): Promise<LogPositions> {
    return this.#alone(async () => {
      await this.#commits.last;
      const { store, topics } = this.#options;
      const { times, positions } = await this.#reading.untilAnswered(() => readPlaces(store.db, topics));
      const retention = await this.#reading.untilAnswered(() => readRetention(store.db));
      if (this.#closing.signal.aborted) this.#throwIfStopped();
      this.#stoppedBy = undefined;
      this.#places.begin(times);
      this.#folding = this.#foldOn(retention);
      this.#commits = this.#newLine();
      return positions;
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
      this.#folding = this.#foldOn(await readRetention(store.db), this.#folding.faults);
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

  /** Reading and writing fail together, mostly. */
  #tellOutage(error: unknown): void {
    if (this.#reading.error === undefined || this.#writing.error === undefined) this.#options.onOutage?.(error);
  }

  #foldOn(retention: Map<string, number>, faults?: readonly Fault[]): Folding {
    return new Folding({ store: this.#options.store, places: this.#places, retention, faults });
  }

  #newLine(): CommitLine {
    const { store, topics, isShared } = this.#options;
    return new CommitLine({ store, topics, isShared, outage: this.#writing });
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
      const folded = await this.#reading.untilAnswered(() => this.#folding.fold(group.map(({ batch }) => batch)));
      for (const fault of folded.faults) this.#options.onFault?.(fault);
      const settled = this.#options.onSettled && settledIn(folded);
      if (folded.changes.news.length > 0) await this.#options.publish?.(folded.changes.news);
      this.#commits
        .add(folded, () => {
          this.#committed(folded);
          for (const verdict of settled ?? []) this.#options.onSettled!(verdict);
        })
        .then(() => {
          for (const { resolve } of waiting) resolve();
        }, fail);
    } catch (error) {
      fail(error as Error);
    }
  }

  #committed(folded: FoldedGroup): void {
    this.#folding.committed(folded);
    for (const { topic, partition, from, to } of folded.advances) {
      this.#places.moved(topic, partition, to);
      for (const listener of this.#listeners) listener(topic, partition, to.next, to.next - from);
    }
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

/** The verdicts of the requests that this group settles; a request is settled once. */
function settledIn({ changes }: FoldedGroup): string[] {
  const verdicts: string[] = [];
  for (const { settled_at: at, status } of changes.changed('consent'))
    if (at !== undefined && typeof status === 'string') verdicts.push(status);
  return verdicts;
}
