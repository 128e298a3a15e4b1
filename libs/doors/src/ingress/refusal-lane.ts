import type { NewRecord } from '@doorledger/event-log';
import { NOT_WRITTEN } from './counted-reason.js';
import type { IngressEntry } from './ingress-entry.js';
import { limits } from './limits.js';
import { OpenCount } from './open-count.js';

export interface RefusalLaneOptions {
  readonly recordOf: (entry: IngressEntry, seq: number) => NewRecord;
  readonly countOf: (count: OpenCount) => NewRecord;
  /** Resolves when they are durable; rejects when they never will be. */
  readonly append: (records: readonly NewRecord[]) => Promise<void>;
}

interface Waiting {
  readonly seq: number;
  readonly entry: IngressEntry;
}

interface Batch {
  readonly records: readonly NewRecord[];
  readonly firstSeq: number;
  /** Requests they stand for, and those among them that are counted as not written. */
  readonly requests: number;
  readonly unwritten: number;
}

const requestsOf = (counts: readonly OpenCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

/** The way of refusals and counts to the log, off the request's path: one append in flight, at most one in 20 ms (E5, E8). */
export class RefusalLane {
  readonly #options: RefusalLaneOptions;
  #waiting: Waiting[] = [];
  #counts: OpenCount[] = [];
  /** What found no room. Held open until the log takes it: however long that is, its places are nearly all neighbours. */
  #unwritten: OpenCount[] = [];
  #inFlight?: Batch;
  #lostFrom = Infinity;
  #lost = 0;
  #running?: Promise<void>;
  #isHurried = false;
  #hurry?: () => void;

  constructor(options: RefusalLaneOptions) {
    this.#options = options;
  }

  /** Refusals and counts that wait. */
  get size(): number {
    return this.#waiting.length + this.#counts.length;
  }

  /** Requests whose record could not be written, until the log has the exact count of them. */
  get unwritten(): number {
    return this.#lost + (this.#inFlight?.unwritten ?? 0) + requestsOf(this.#unwritten);
  }

  /** The lowest place that is not durable. */
  get firstSeq(): number {
    return Math.min(
      this.#lostFrom,
      this.#inFlight?.firstSeq ?? Infinity,
      this.#waiting[0]?.seq ?? Infinity,
      this.#unwritten[0]?.firstSeq ?? Infinity,
      ...this.#counts.map(({ firstSeq }) => firstSeq),
    );
  }

  /** Takes a refusal to be recorded; past the bound it is counted as not written. */
  offer(seq: number, entry: IngressEntry): void {
    if (this.#waiting.length >= limits.bufferedRecords) return this.countUnwritten(seq, entry.at);
    this.#waiting.push({ seq, entry });
    this.#start();
  }

  /** Takes a closed count; false when too many wait. */
  offerCount(count: OpenCount): boolean {
    if (this.#counts.length >= limits.bufferedCounts) return false;
    this.#counts.push(count);
    this.#start();
    return true;
  }

  /** E5: the request has no record; `seq` is past every one that was counted so before. */
  countUnwritten(seq: number, at: number): void {
    const last = this.#unwritten[this.#unwritten.length - 1];
    if (last && !last.isFull) last.add(seq, at);
    else this.#unwritten.push(new OpenCount(NOT_WRITTEN, seq, at));
    this.#start();
  }

  /** Sends what waits without delay; resolves when nothing waits. */
  async flushed(): Promise<void> {
    this.#isHurried = true;
    this.#hurry?.();
    await this.#running;
    this.#isHurried = false;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.size > 0 || this.#unwritten.length > 0) {
      await this.#pause();
      const batch = (this.#inFlight = this.#take());
      try {
        await this.#options.append(batch.records);
      } catch {
        this.#lostFrom = Math.min(this.#lostFrom, batch.firstSeq);
        this.#lost += batch.requests;
      }
      this.#inFlight = undefined;
    }
    this.#running = undefined;
  }

  async #pause(): Promise<void> {
    if (this.#isHurried) return;
    await new Promise<void>((resolve) => {
      this.#hurry = resolve;
      setTimeout(resolve, limits.batchEveryMs).unref();
    });
  }

  #take(): Batch {
    const { countOf } = this.#options;
    const firstSeq = this.firstSeq;
    const [counts, unwritten] = [this.#counts, this.#unwritten];
    const records = [...counts, ...unwritten].map(countOf);
    [this.#counts, this.#unwritten] = [[], []];
    let bytes = records.reduce((sum, { value }) => sum + value.length, 0);
    let taken = 0;
    let unfit: OpenCount | undefined;
    for (; taken < this.#waiting.length && taken < limits.batchRecords && bytes < limits.batchBytes; taken++) {
      const waiting = this.#waiting[taken]!;
      const record = this.#recordOf(waiting);
      if (record) records.push(record);
      else if (unfit) unfit.add(waiting.seq, waiting.entry.at);
      else unfit = new OpenCount(NOT_WRITTEN, waiting.seq, waiting.entry.at);
      bytes += record?.value.length ?? 0;
    }
    this.#waiting = this.#waiting.slice(taken);
    if (unfit) records.push(countOf(unfit));
    return {
      records,
      firstSeq,
      requests: taken + requestsOf([...counts, ...unwritten]),
      unwritten: requestsOf(unwritten) + (unfit?.count ?? 0),
    };
  }

  /** Undefined for an entry that no record can hold: a mistake of ours, which costs its request no more than its record. */
  #recordOf({ entry, seq }: Waiting): NewRecord | undefined {
    try {
      return this.#options.recordOf(entry, seq);
    } catch {
      return undefined;
    }
  }
}
