import type { Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

/** By `topic:partition`, the offset below which rows are gone by rule (X3). */
export async function readRetention(db: Kysely<LedgerTables>): Promise<Map<string, number>> {
  const rows = await db.selectFrom('retention').selectAll().execute();
  return new Map(rows.map((row) => [`${row.topic}:${row.partition}`, row.before ?? 0]));
}
