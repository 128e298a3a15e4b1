import { topics as allTopics } from '@doorledger/contracts';
import { emptySession, startOfPartition } from '@doorledger/event-log';
import type { Kysely } from 'kysely';
import type { SessionSnapshot } from '../reader.js';
import type { LedgerTables } from '../schema/index.js';
import { readStoredState } from './stored-state.js';

/** State and place in one statement, so that both are of one moment. */
export async function readSessionState(db: Kysely<LedgerTables>, key: string, partition: number): Promise<SessionSnapshot> {
  const row = await db
    .selectFrom('projection_offset as o')
    .leftJoin('session as s', (join) => join.on('s.session_key', '=', key))
    .select(['o.next', 'o.epoch', 'o.timestamp', 'o.fold_time', 's.state'])
    .where('o.topic', '=', allTopics.session.name)
    .where('o.partition', '=', partition)
    .executeTakeFirst();
  return {
    key,
    partition,
    state: row?.state ? readStoredState(row.state) : emptySession,
    time: row ? { next: row.next, epoch: row.epoch, timestamp: row.timestamp, T: row.fold_time } : startOfPartition,
  };
}
