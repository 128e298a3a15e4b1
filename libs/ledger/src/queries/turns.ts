import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';

/** Undefined where no claim of this turn ever stood or waited. */
export function readTurn(db: Kysely<LedgerTables>, turnId: string): Promise<Row<'turn'> | undefined> {
  return db.selectFrom('turn').selectAll().where('turn_id', '=', turnId).orderBy('session_key').executeTakeFirst();
}
