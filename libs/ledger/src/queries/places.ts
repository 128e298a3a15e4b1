import { startOfPartition, type LogPositions, type PartitionTime } from '@doorledger/event-log';
import type { Kysely } from 'kysely';
import type { LedgerPositions } from '../reader.js';
import type { LedgerTables } from '../schema/index.js';

/** Where reading of every partition stands, of the given topics and partition counts. */
export async function readPlaces(db: Kysely<LedgerTables>, topics: ReadonlyMap<string, number>): Promise<LedgerPositions> {
  const times = Object.fromEntries(Array.from(topics, ([topic, count]) => [topic, new Array<PartitionTime>(count).fill(startOfPartition)]));
  for (const row of await db.selectFrom('projection_offset').selectAll().execute()) {
    const ofTopic = times[row.topic];
    if (ofTopic && row.partition < ofTopic.length)
      ofTopic[row.partition] = { next: row.next, epoch: row.epoch, timestamp: row.timestamp, T: row.fold_time };
  }
  return { times, positions: positionsOf(times) };
}

export const positionsOf = (times: Readonly<Record<string, readonly PartitionTime[]>>): LogPositions =>
  Object.fromEntries(Object.entries(times).map(([topic, ofTopic]) => [topic, ofTopic.map((time) => time.next)]));
