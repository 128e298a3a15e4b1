import { createHash } from 'node:crypto';
import { encode, eventOf, factByType, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord, partitionOf, type EventLog, type RecordBatch } from '@doorledger/event-log';
import { chainStart, extendChain } from '../chain/chain.js';
import type { PartitionHead } from '../checkpoints/checkpoint.js';

export const sha = (name: string): string => createHash('sha256').update(name).digest('hex');
export const ref = (name: string): string => sha(name).slice(0, 32);
export const uuid = (name: string): string => sha(name).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');

type Readable = Pick<EventLog, 'topics' | 'ends' | 'read'>;

/** A log whose records a test may change, drop and move as it likes. */
export class ToldLog implements Readable {
  readonly topics: ReadonlyMap<string, number> = new Map(Object.values(topics).map((t) => [t.name, t.partitions.embedded]));
  readonly partitions = new Map<string, StoredRecord[]>();
  readonly starts = new Map<string, number>();
  now = 1_750_000_000_000;

  add(key: string, fact: Fact): StoredRecord {
    const { value, headers } = encode(eventOf(fact, { source: '/doorledger/told/host-1', now: () => this.now }));
    const topic = factByType.get(fact.type)!.topic.name;
    const partition = partitionOf(key, this.topics.get(topic)!);
    const of = this.of(topic, partition);
    const record = new StoredRecord(topic, partition, (of.at(-1)?.offset ?? -1) + 1, this.now, 1, key, value, headers);
    of.push(record);
    return record;
  }

  of(topic: string, partition: number): StoredRecord[] {
    const name = `${topic}:${partition}`;
    let of = this.partitions.get(name);
    if (!of) this.partitions.set(name, (of = []));
    return of;
  }

  /** Drops what is before, as retention does; the fact that says so is the test's to add. */
  cut(topic: string, partition: number, before: number): void {
    this.starts.set(`${topic}:${partition}`, before);
    this.partitions.set(
      `${topic}:${partition}`,
      this.of(topic, partition).filter(({ offset }) => offset >= before),
    );
  }

  /** What a projector that had read everything from `from` on would sign now. */
  headsFrom(from = 0): PartitionHead[] {
    return [...this.partitions.values()].flatMap((records) => {
      const read = records.filter(({ offset }) => offset >= from);
      if (read.length === 0) return [];
      const { topic, partition, offset } = read[0]!;
      const chain = read.reduce(extendChain, chainStart(topic, partition, offset));
      return [{ topic, partition, ...chain, next: read.at(-1)!.offset + 1 }];
    });
  }

  async ends(topic: string) {
    return Array.from({ length: this.topics.get(topic)! }, (_, partition) => {
      const start = this.starts.get(`${topic}:${partition}`) ?? 0;
      return { start, end: (this.of(topic, partition).at(-1)?.offset ?? start - 1) + 1 };
    });
  }

  async *read(topic: string, from: readonly number[]): AsyncIterable<RecordBatch> {
    for (const [partition, offset] of from.entries()) {
      const records = this.of(topic, partition).filter((record) => record.offset >= offset);
      if (records.length > 0) yield { topic, partition, records };
    }
  }
}

/** A record with something else in it. */
export function changed(
  record: StoredRecord,
  change: { offset?: number; timestamp?: number; value?: Uint8Array; headers?: object },
): StoredRecord {
  const { topic, partition, offset, timestamp, epoch, key, value, headers } = record;
  return new StoredRecord(topic, partition, change.offset ?? offset, change.timestamp ?? timestamp, epoch, key, change.value ?? value, {
    ...headers,
    ...change.headers,
  });
}
