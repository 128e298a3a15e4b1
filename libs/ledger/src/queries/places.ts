import { startOfPartition, type LogPositions, type PartitionTime } from '@doorledger/event-log';
import type { Kysely } from 'kysely';
import type { Place } from '../projection/place.js';
import type { LedgerPositions } from '../reader.js';
import type { LedgerTables, Row } from '../schema/index.js';

/** Where reading of every partition stands, of the given topics and partition counts. */
export async function readPlaces(db: Kysely<LedgerTables>, topics: ReadonlyMap<string, number>): Promise<LedgerPositions> {
  const times = Object.fromEntries(Array.from(topics, ([topic, count]) => [topic, new Array<Place>(count).fill(startOfPartition)]));
  for (const row of await db.selectFrom('projection_offset').selectAll().execute()) {
    const ofTopic = times[row.topic];
    if (ofTopic && row.partition < ofTopic.length) ofTopic[row.partition] = placeOf(row);
  }
  return { times, positions: positionsOf(times) };
}

function placeOf({ next, epoch, timestamp, fold_time, chain_from, chain_head }: Row<'projection_offset'>): Place {
  const time = { next, epoch, timestamp, T: fold_time };
  return chain_from === null || chain_head === null ? time : { ...time, chain: { from: chain_from, head: chain_head } };
}

export const positionsOf = (times: Readonly<Record<string, readonly PartitionTime[]>>): LogPositions =>
  Object.fromEntries(Object.entries(times).map(([topic, ofTopic]) => [topic, ofTopic.map((time) => time.next)]));
