import type { StoredRecord } from '../stored-record.js';
import { PAGE_BYTES, PAGE_RECORDS } from './log-file.js';

const BOUND_BYTES = 2 * 1024 * 1024;

interface Run {
  readonly slot: number;
  readonly records: readonly StoredRecord[];
  readonly bytes: number;
}

/**
 * The newest committed records, so that followers near the end are served without reading the file and share one decoded
 * record. Bounded by bytes: a follower that falls further behind reads the file (K7).
 */
export class RecentRecords {
  readonly #bySlot: Run[][];
  /** All runs, oldest first. */
  #runs: Run[] = [];
  #oldest = 0;
  #bytes = 0;

  constructor(slots: number) {
    this.#bySlot = Array.from({ length: slots }, () => []);
  }

  /** What one transaction added to a partition. */
  add(slot: number, records: readonly StoredRecord[], bytes: number): void {
    const run = { slot, records, bytes };
    this.#bySlot[slot]!.push(run);
    this.#runs.push(run);
    this.#bytes += bytes;
    while (this.#bytes > BOUND_BYTES && this.#oldest < this.#runs.length - 1) {
      const gone = this.#runs[this.#oldest++]!;
      this.#bySlot[gone.slot]!.shift();
      this.#bytes -= gone.bytes;
    }
    if (this.#oldest > 1_024 && this.#oldest > this.#runs.length / 2) {
      this.#runs = this.#runs.slice(this.#oldest);
      this.#oldest = 0;
    }
  }

  /** About a page from `offset` on, or undefined where the file must be read. */
  from(slot: number, offset: number): readonly StoredRecord[] | undefined {
    const runs = this.#bySlot[slot]!;
    let at = lastStartingAtOrBefore(runs, offset);
    const run = runs[at];
    if (!run) return undefined;
    const skipped = offset - run.records[0]!.offset;
    if (skipped >= run.records.length) return undefined;
    if (at === runs.length - 1) return skipped === 0 ? run.records : run.records.slice(skipped);
    const records = run.records.slice(skipped);
    let bytes = run.bytes;
    while (++at < runs.length && records.length < PAGE_RECORDS && bytes < PAGE_BYTES) {
      bytes += runs[at]!.bytes;
      for (const record of runs[at]!.records) records.push(record);
    }
    return records;
  }

  at(slot: number, offset: number): StoredRecord | undefined {
    return this.from(slot, offset)?.[0];
  }
}

function lastStartingAtOrBefore(runs: readonly Run[], offset: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (runs[middle]!.records[0]!.offset <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
