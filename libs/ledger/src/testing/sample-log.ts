import { createHash } from 'node:crypto';
import { encode, eventOf, factByType, topics, type Fact, type FactEvent } from '@doorledger/contracts';
import { StoredRecord, partitionOf, type RecordBatch } from '@doorledger/event-log';

/** Records as a log would hold them, made without one. Ids are made from small numbers, so that two runs make the same log. */
export class SampleLog {
  readonly topics: ReadonlyMap<string, number> = new Map(Object.values(topics).map((t) => [t.name, t.partitions.embedded]));
  readonly #partitions = new Map<string, StoredRecord[]>();
  #events = 0;
  now = 1_750_000_000_000;
  epoch = 1;

  /** Appends a fact under a key and returns its record. */
  add(key: string, fact: Fact): StoredRecord {
    return this.addEvent(key, this.event(fact));
  }

  event(fact: Fact): FactEvent {
    const event = eventOf(fact, { source: '/doorledger/sample/host-1', now: () => this.now });
    return { ...event, id: `00000000-0000-7000-8000-${String(++this.#events).padStart(12, '0')}` };
  }

  /** The same event twice is what an append repeated after an unknown outcome leaves on the log. */
  addEvent(key: string, event: FactEvent): StoredRecord {
    const { value, headers } = encode(event);
    return this.addRaw(factByType.get(event.type)!.topic.name, key, value, headers);
  }

  addRaw(topic: string, key: string, value: Uint8Array | null, headers: Readonly<Record<string, string>>): StoredRecord {
    const partition = partitionOf(key, this.topics.get(topic)!);
    const name = `${topic}:${partition}`;
    const records = this.#partitions.get(name) ?? [];
    this.#partitions.set(name, records);
    const record = new StoredRecord(topic, partition, records.length, this.now, this.epoch, key, value, headers);
    records.push(record);
    return record;
  }

  /** Every record from `from` on, in batches of at most `size`. */
  batches(size = 1000): RecordBatch[] {
    const batches: RecordBatch[] = [];
    for (const records of this.#partitions.values())
      for (let at = 0; at < records.length; at += size) {
        const { topic, partition } = records[0]!;
        batches.push({ topic, partition, records: records.slice(at, at + size) });
      }
    return batches;
  }
}

/** A UUID, a reference, or a hash that small text stands for. */
const digest = (name: string): string => createHash('sha256').update(name).digest('hex');
export const uuid = (name: string): string => digest(name).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
export const ref = (name: string): string => digest(name).slice(0, 32);
export const sha = (name: string): string => digest(name);
