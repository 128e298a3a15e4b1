import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordBatch } from '@doorledger/event-log';

export interface BatchQueueOptions {
  /** Records of one transaction, at most (1 000); one batch is never split. Folding them holds up the event loop. */
  readonly maxRecords?: number;
  /** What comes within so many ms (10) of a group waits for the next, so that many small commits do not cost more than few. */
  readonly gatherMs?: number;
}

/** A batch and who waits for it. */
export interface Queued {
  readonly batch: RecordBatch;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Batches that were taken, until they are folded in groups. */
export class BatchQueue {
  readonly #maxRecords: number;
  readonly #gatherMs: number;
  readonly #queued: Queued[] = [];
  #records = 0;
  #lastAt = -Infinity;
  #endWait?: () => void;

  constructor({ maxRecords = 1000, gatherMs = 10 }: BatchQueueOptions) {
    this.#maxRecords = maxRecords;
    this.#gatherMs = gatherMs;
  }

  get isEmpty(): boolean {
    return this.#queued.length === 0;
  }

  add(queued: Queued): void {
    this.#queued.push(queued);
    this.#records += queued.batch.records.length;
    if (this.#records >= this.#maxRecords) this.#endWait?.();
  }

  /** Resolves when a group should be made: at once after a quiet time, soon under load. Others get their turn of the event loop. */
  async gathered(): Promise<void> {
    // Batches delivered in one turn of the event loop share a group.
    await nextTurn();
    const waitMs = this.#lastAt + this.#gatherMs - performance.now();
    if (waitMs > 0 && this.#records < this.#maxRecords && !this.isEmpty)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        this.#endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#endWait = undefined;
    this.#lastAt = performance.now();
  }

  nextGroup(): Queued[] {
    let [count, records] = [0, 0];
    for (const { batch } of this.#queued) {
      if (count > 0 && records + batch.records.length > this.#maxRecords) break;
      records += batch.records.length;
      count++;
    }
    this.#records -= records;
    return this.#queued.splice(0, count);
  }

  /** Nothing of what waits will be folded. */
  refuse(error: Error): void {
    this.#records = 0;
    for (const { reject } of this.#queued.splice(0)) reject(error);
    this.#endWait?.();
  }
}
