import { topics, type FactData } from '@doorledger/contracts';
import { sql, type Kysely } from 'kysely';
import type { LostToolSession } from '../reader.js';
import type { LedgerTables, Row } from '../schema/index.js';
import { SILENT_MS } from './census-life.js';
import { present } from './present.js';

/**
 * Open tool sessions of host lives that are over (T40): the host said so, its next life has begun, or it has been silent for more than
 * 30 s of the system partition's T. No clock of a process has a say. One query, by index over what is open.
 */
export async function readLostToolSessions(db: Kysely<LedgerTables>, limit: number): Promise<LostToolSession[]> {
  const rows = await db
    .selectFrom('tool_session as t')
    .innerJoin('host as h', (join) => join.onRef('h.host_id', '=', 't.host_id').onRef('h.boot_id', '=', 't.boot_id'))
    .selectAll('t')
    .select('h.alive_at')
    .where('t.closed_at', 'is', null)
    .where((is) =>
      is.or([
        is('h.stopped_at', 'is not', null),
        is.exists(
          is
            .selectFrom('host as next')
            .select('next.boot_id')
            .whereRef('next.host_id', '=', 'h.host_id')
            .whereRef('next.started_offset', '>', 'h.alive_offset'),
        ),
        is(
          'h.alive_time',
          '<',
          is
            .selectFrom('projection_offset')
            .select(sql<number>`fold_time - ${sql.lit(SILENT_MS)}`.as('since'))
            .where('topic', '=', topics.system.name)
            .where('partition', '=', 0),
        ),
      ]),
    )
    .orderBy('t.host_id')
    .orderBy('t.boot_id')
    .orderBy('t.tool_session_id')
    .limit(limit)
    .execute();
  return rows.map(lostToolSession);
}

/** Every fact of a tool session says all of these. Its age is told up to its host's last sign of life. */
const lostToolSession = (row: Row<'tool_session'> & Pick<Row<'host'>, 'alive_at'>): LostToolSession => ({
  toolSessionId: row.tool_session_id,
  keyHash: row.key_hash,
  server: row.server!,
  tool: row.tool!,
  scope: row.scope as FactData<'tool-session.started'>['scope'],
  ...present({ label: row.label, sessionRef: row.session_key === row.turn_id ? null : row.session_key }),
  hostId: row.host_id!,
  bootId: row.boot_id!,
  turnId: row.turn_id!,
  runId: row.run_id!,
  callId: row.call_id!,
  calls: row.calls ?? 0,
  ageMs: Math.max(0, row.alive_at! - row.started_at!),
});
