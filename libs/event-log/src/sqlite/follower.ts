import { setImmediate } from 'node:timers/promises';
import { LogRefusedError } from '../errors.js';
import type { LogPositions, RecordBatch, Subscription } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import type { PartitionTable, Slot } from './partition-table.js';

/** What a follower reads from. */
export interface FollowSource {
  readonly partitions: PartitionTable;
  /** The first kept and the next offset of a slot. */
  rangeOf(slot: number): { readonly start: number; readonly end: number };
  /** About a page of committed records from `offset` on, below the end. `isRecent`: from memory. */
  recordsFrom(slot: Slot, offset: number): { readonly records: readonly StoredRecord[]; readonly isRecent: boolean };
}

interface Cursor {
  readonly slot: Slot;
  next: number;
  isRunning: boolean;
}

/**
 * One subscription: a cursor per partition, each delivering one batch at a time. It holds no records while a delivery is
 * awaited, however slow (K7). A cursor at rest is woken by `wake` and delivers before `wake` returns.
 */
export class Follower implements Subscription {
  readonly failed: Promise<never>;
  readonly #cursors = new Map<number, Cursor>();
  readonly #running = new Set<Promise<void>>();
  #fail!: (error: unknown) => void;
  #isClosed = false;

  constructor(
    readonly source: FollowSource,
    readonly deliver: (batch: RecordBatch) => void | Promise<void>,
    readonly onClose: (follower: Follower) => void,
  ) {
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // It may fail before anybody looks.
    this.failed.catch(() => {});
  }

  start(from: LogPositions): void {
    try {
      for (const [topic, offsets] of Object.entries(from)) {
        for (const { slot, next } of startingPoints(this.source, topic, offsets))
          this.#cursors.set(slot.slot, { slot, next, isRunning: false });
      }
    } catch (error) {
      return this.fail(error);
    }
    queueMicrotask(() => this.wakeAll());
  }

  wakeAll(): void {
    for (const slot of this.#cursors.keys()) this.wake(slot);
  }

  wake(slot: number): void {
    const cursor = this.#cursors.get(slot);
    if (!cursor || cursor.isRunning || this.#isClosed) return;
    cursor.isRunning = true;
    const run = this.#run(cursor);
    if (!cursor.isRunning) return;
    this.#running.add(run);
    void run.then(() => this.#running.delete(run));
  }

  async #run(cursor: Cursor): Promise<void> {
    const { topic, partition, slot } = cursor.slot;
    try {
      while (!this.#isClosed && cursor.next < this.source.rangeOf(slot).end) {
        const { records, isRecent } = this.source.recordsFrom(cursor.slot, cursor.next);
        const delivery = this.deliver({ topic, partition, records });
        if (delivery) await delivery;
        cursor.next += records.length;
        if (!isRecent) await setImmediate();
      }
    } catch (error) {
      this.fail(error);
    }
    cursor.isRunning = false;
  }

  fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClose(this);
    this.#fail(error);
  }

  /** Resolves when no delivery is running any more: not to be awaited by a delivery. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.onClose(this);
    await Promise.all(this.#running);
  }
}

/** @throws LogRefusedError `ERR_UNKNOWN_TOPIC`, `ERR_LOG_TOPICS`, `ERR_HISTORY_LOST`: a position is never corrected by a guess (K12). */
export function startingPoints(source: FollowSource, topic: string, offsets: readonly number[]): { slot: Slot; next: number }[] {
  const slots = source.partitions.of(topic);
  if (!slots) throw new LogRefusedError('ERR_UNKNOWN_TOPIC', 'The log has no such topic: see `doorledger topics`.');
  if (slots.length !== offsets.length)
    throw new LogRefusedError('ERR_LOG_TOPICS', `${topic} has ${slots.length} partitions; positions for ${offsets.length} were given.`);
  return slots.map((slot, partition) => {
    const next = offsets[partition]!;
    const { start, end } = source.rangeOf(slot.slot);
    if (next < start || next > end)
      throw new LogRefusedError(
        'ERR_HISTORY_LOST',
        `${topic}:${partition} holds offsets ${start} to ${end}; reading was to go on at ${next}. The log is not the one that was read before: put back its newest backup.`,
      );
    return { slot, next };
  });
}
