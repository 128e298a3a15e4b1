import type { EventLog, LogPositions, NewRecord, PartitionRange, Position, RecordBatch, Subscription } from '../event-log.js';
import { partitionOf } from '../partition.js';
import { StoredRecord } from '../stored-record.js';

interface Follower {
  readonly next: Record<string, number[]>;
  readonly deliver: (batch: RecordBatch) => void | Promise<void>;
  readonly fail: (error: Error) => void;
  busy: boolean;
  closed: boolean;
}

/** A log in memory for unit specs: every append is delivered at once. `stalled` makes followers deaf, as a hung client would be. */
export class MemoryLog implements EventLog {
  readonly place = 'memory';
  readonly topics: ReadonlyMap<string, number>;
  readonly #partitions = new Map<string, StoredRecord[][]>();
  readonly #followers = new Set<Follower>();
  stalled = false;
  now = 1_000_000;
  epoch = 1;
  /** Called before each append; what it throws is the append's outcome. */
  beforeAppend?: (topic: string, records: readonly NewRecord[]) => void | Promise<void>;

  constructor(topics: Readonly<Record<string, number>>) {
    this.topics = new Map(Object.entries(topics));
    for (const [name, count] of this.topics)
      this.#partitions.set(
        name,
        Array.from({ length: count }, () => []),
      );
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<Position[]> {
    await this.beforeAppend?.(topic, records);
    const partitions = this.#partitions.get(topic)!;
    const positions = records.map(({ key, value, headers }) => {
      const partition = partitionOf(key, partitions.length);
      const offset = partitions[partition]!.length;
      partitions[partition]!.push(new StoredRecord(topic, partition, offset, this.now, this.epoch, key, value, headers));
      return { topic, partition, offset };
    });
    for (const follower of this.#followers) void this.#wake(follower);
    return positions;
  }

  async *read(topic: string, from: readonly number[]): AsyncIterable<RecordBatch> {
    const upTo = this.#partitions.get(topic)!.map((p) => p.length);
    for (const [partition, end] of upTo.entries()) {
      const records = this.#partitions.get(topic)![partition]!.slice(from[partition] ?? 0, end);
      if (records.length > 0) yield { topic, partition, records };
    }
  }

  async recordAt({ topic, partition, offset }: Position): Promise<StoredRecord | undefined> {
    return this.#partitions.get(topic)?.[partition]?.[offset];
  }

  follow(from: LogPositions, deliver: Follower['deliver']): Subscription {
    let fail!: (error: Error) => void;
    const failed = new Promise<never>((_, reject) => (fail = reject));
    failed.catch(() => {});
    const next = Object.fromEntries(Object.entries(from).map(([topic, offsets]) => [topic, [...offsets]]));
    const follower: Follower = { next, deliver, fail, busy: false, closed: this.stalled };
    this.#followers.add(follower);
    queueMicrotask(() => void this.#wake(follower));
    return {
      failed,
      close: async () => {
        follower.closed = true;
        this.#followers.delete(follower);
      },
    };
  }

  async ends(topic: string): Promise<PartitionRange[]> {
    return this.#partitions.get(topic)!.map((p) => ({ start: 0, end: p.length }));
  }

  async cut(): Promise<void> {
    throw new Error('This log is never cut.');
  }

  async close(): Promise<void> {
    this.#followers.clear();
  }

  async #wake(follower: Follower): Promise<void> {
    if (follower.busy) return;
    follower.busy = true;
    for (let moved = true; moved;) {
      moved = false;
      for (const [topic, offsets] of Object.entries(follower.next))
        for (const [partition, offset] of offsets.entries()) {
          if (follower.closed || this.stalled) continue;
          const records = this.#partitions.get(topic)![partition]!.slice(offset);
          if (records.length === 0) continue;
          offsets[partition] = offset + records.length;
          moved = true;
          try {
            await follower.deliver({ topic, partition, records });
          } catch (error) {
            follower.fail(error as Error);
            follower.closed = true;
          }
        }
    }
    follower.busy = false;
  }
}
