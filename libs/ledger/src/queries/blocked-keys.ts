import type { Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

/** A key of the session topic that stands still, and the record that blocks it (L8). */
export interface BlockedKey {
  readonly key: string;
  readonly partition: number;
  readonly offset: number;
}

export async function listBlocked(db: Kysely<LedgerTables>): Promise<BlockedKey[]> {
  const rows = await db
    .selectFrom('session')
    .select(['session_key', 'partition', 'blocked_by'])
    .where('blocked_by', 'is not', null)
    .orderBy('session_key')
    .execute();
  return rows.map(({ session_key: key, partition, blocked_by }) => ({ key, partition, offset: blocked_by! }));
}
