import type Database from 'better-sqlite3';
import { LogRefusedError } from '../errors.js';

/** Offsets below this fit into a place. */
const OFFSETS = 2 ** 40;

/** Where a record lies in the file: partitions one after another, each in offset order, so that one range is one read. */
export const placeOf = (slot: number, offset: number): number => slot * OFFSETS + offset;
export const offsetOf = (place: number): number => place % OFFSETS;

/** A partition and its number in the file. */
export interface Slot {
  readonly slot: number;
  readonly topic: string;
  readonly partition: number;
}

/** The partitions a log file was made with; their slots never change. */
export class PartitionTable {
  readonly topics: ReadonlyMap<string, number>;
  readonly #slotsByTopic = new Map<string, Slot[]>();

  constructor(readonly slots: readonly Slot[]) {
    for (const slot of slots) {
      const ofTopic = this.#slotsByTopic.get(slot.topic);
      if (ofTopic) ofTopic.push(slot);
      else this.#slotsByTopic.set(slot.topic, [slot]);
    }
    this.topics = new Map([...this.#slotsByTopic].map(([topic, of]) => [topic, of.length]));
  }

  /** By partition; undefined where the log has no such topic. */
  of(topic: string): readonly Slot[] | undefined {
    return this.#slotsByTopic.get(topic);
  }

  at(slot: number): Slot {
    return this.slots[slot]!;
  }
}

export function createPartitions(db: Database.Database, topics: ReadonlyMap<string, number>): void {
  const insert = db.prepare('INSERT INTO partition (slot, topic, partition) VALUES (?, ?, ?)');
  let slot = 0;
  for (const [topic, partitions] of topics)
    for (let partition = 0; partition < partitions; partition++) insert.run(slot++, topic, partition);
}

export const readPartitions = (db: Database.Database): PartitionTable =>
  new PartitionTable(db.prepare<[], Slot>('SELECT slot, topic, partition FROM partition ORDER BY slot').all());

/** @throws LogRefusedError `ERR_LOG_TOPICS` unless the file has exactly these topics and partition counts (K8). */
export function refuseOtherTopics(table: PartitionTable, topics: ReadonlyMap<string, number>): void {
  for (const topic of new Set([...topics.keys(), ...table.topics.keys()])) {
    const wanted = topics.get(topic) ?? 0;
    const found = table.topics.get(topic) ?? 0;
    if (wanted !== found)
      throw new LogRefusedError(
        'ERR_LOG_TOPICS',
        `log.db has ${found} partitions of topic ${topic} where this release wants ${wanted}: use the release that made it, or another data folder.`,
      );
  }
}
