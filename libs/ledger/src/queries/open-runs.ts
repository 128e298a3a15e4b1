import type { Kysely } from 'kysely';
import type { OpenRun } from '../reader.js';
import type { LedgerTables, Row } from '../schema/index.js';

export async function openRunsOf(db: Kysely<LedgerTables>, hostId: string): Promise<OpenRun[]> {
  const rows = await db.selectFrom('open_run').selectAll().where('host_id', '=', hostId).orderBy('session_key').orderBy('run_id').execute();
  return rows.map(openRun);
}

export async function openRunsQuietSince(db: Kysely<LedgerTables>, timestamp: number, limit: number): Promise<OpenRun[]> {
  const rows = await db
    .selectFrom('open_run')
    .selectAll()
    .where('quiet_since', '<=', timestamp)
    .orderBy('quiet_since')
    .orderBy('session_key')
    .orderBy('run_id')
    .limit(limit)
    .execute();
  return rows.map(openRun);
}

/** The fold says all of these with the run's first record. */
const openRun = (row: Row<'open_run'>): OpenRun => ({
  sessionKey: row.session_key,
  partition: row.partition,
  runId: row.run_id,
  turnId: row.turn_id!,
  hostId: row.host_id!,
  bootId: row.boot_id!,
  status: row.status as OpenRun['status'],
  quietSince: row.quiet_since!,
});
