import { topics } from '@doorledger/contracts';
import { sql, type Kysely } from 'kysely';
import type { KnownHolders } from '../reader.js';
import type { LedgerTables } from '../schema/index.js';
import { SILENT_MS } from './census-life.js';

/** Live hosts, the last heard of at the end, and open tool sessions of sessions, the last used at the end (L6). */
export async function readHolders(db: Kysely<LedgerTables>): Promise<KnownHolders> {
  const hosts = await db
    .selectFrom('host')
    .select(['host_id', 'boot_id', 'alive_time'])
    .where('stopped_at', 'is', null)
    .where('alive_time', '>=', (is) =>
      is
        .selectFrom('projection_offset')
        .select(sql<number>`fold_time - ${sql.lit(SILENT_MS)}`.as('since'))
        .where('topic', '=', topics.system.name)
        .where('partition', '=', 0),
    )
    .orderBy('alive_offset')
    .execute();
  const open = await db
    .selectFrom('tool_session')
    .select(['tool_session_id', 'session_key', 'host_id', 'boot_id'])
    .where('closed_at', 'is', null)
    .whereRef('session_key', '!=', 'turn_id')
    .where('host_id', 'is not', null)
    .orderBy('used_at')
    .orderBy('tool_session_id')
    .execute();
  return {
    hosts: hosts.map(({ host_id, boot_id, alive_time }) => ({ hostId: host_id, bootId: boot_id, aliveTime: alive_time ?? 0 })),
    toolSessions: open.map(({ tool_session_id, session_key, host_id, boot_id }) => ({
      toolSessionId: tool_session_id,
      sessionRef: session_key!,
      hostId: host_id!,
      bootId: boot_id!,
    })),
  };
}
