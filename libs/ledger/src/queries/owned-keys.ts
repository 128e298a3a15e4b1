import type { Kysely } from 'kysely';
import type { OwnedKey } from '../reader.js';
import type { LedgerTables } from '../schema/index.js';

/** One key of the session topic; undefined where the ledger knows nothing of it. */
export async function readOwnedKey(db: Kysely<LedgerTables>, key: string): Promise<OwnedKey | undefined> {
  return (await withFates(db, await named(db).where('session_key', '=', key).execute()))[0];
}

/** Keys of a person (userRef) that come after `after`, in their order. */
export async function listKeysOwnedBy(db: Kysely<LedgerTables>, owner: string, after: string, limit: number): Promise<OwnedKey[]> {
  const rows = await named(db).where('owner', '=', owner).where('session_key', '>', after).orderBy('session_key').limit(limit).execute();
  return withFates(db, rows);
}

const named = (db: Kysely<LedgerTables>) => db.selectFrom('session').select(['session_key', 'named']);

async function withFates(
  db: Kysely<LedgerTables>,
  rows: readonly { readonly session_key: string; readonly named: number }[],
): Promise<OwnedKey[]> {
  if (rows.length === 0) return [];
  const keys = rows.map(({ session_key }) => session_key);
  const erased = await db
    .selectFrom('fact')
    .select('session_key')
    .where('session_key', 'in', keys)
    .where('type', '=', 'session.erased')
    .execute();
  const runs = await db.selectFrom('open_run').select(['session_key', 'turn_id', 'run_id']).where('session_key', 'in', keys).execute();
  const isErased = new Set(erased.map(({ session_key }) => session_key));
  return rows.map(({ session_key: key, named: isNamed }) => ({
    key,
    isSession: isNamed === 1,
    isErased: isErased.has(key),
    runs: runs.filter((run) => run.session_key === key).map(({ turn_id, run_id }) => ({ turnId: turn_id!, runId: run_id })),
  }));
}
