import { sql, type Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';

/** A request that was approved earlier than another one of the same tool and tenant. */
export type ApprovedBefore = Pick<Row<'consent'>, 'request_id' | 'session_key' | 'turn_id' | 'tool_hash' | 'settled_at'>;

/** Approved requests of the request's tool, minted before it in its tenant, newest first. */
export function readApprovedBefore(
  db: Kysely<LedgerTables>,
  { server, tool, minted_at, turn_id, session_key }: Row<'consent'>,
  limit: number,
): Promise<ApprovedBefore[]> {
  const tenantOf = (turnId: unknown, key: unknown) =>
    sql`(select coalesce(tenant_ref, '') from turn where turn.turn_id = ${turnId} and turn.session_key = ${key})`;
  return (
    db
      .selectFrom('consent')
      .select(['request_id', 'session_key', 'turn_id', 'tool_hash', 'settled_at'])
      .where('tool', '=', tool)
      .where('minted_at', '<', minted_at)
      // By the index of the tool alone: no engine shall walk everything that was approved, or all of a server.
      .where(sql<boolean>`coalesce(server, '') = ${server ?? ''}`)
      .where(sql<boolean>`coalesce(status, '') = 'approved'`)
      .where(sql<boolean>`${tenantOf(sql.ref('consent.turn_id'), sql.ref('consent.session_key'))} = ${tenantOf(turn_id, session_key)}`)
      .orderBy('minted_at', 'desc')
      .orderBy('request_id', 'desc')
      .limit(limit)
      .execute()
  );
}
