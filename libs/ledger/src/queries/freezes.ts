import type { FactData } from '@doorledger/contracts';
import type { Kysely } from 'kysely';
import type { Freeze, KnownFreezes } from '../reader.js';
import type { LedgerTables, Row } from '../schema/index.js';
import { present } from './present.js';

/** Every freeze (P6): those in force, oldest first, and the ids of those that were lifted. */
export async function readFreezes(db: Kysely<LedgerTables>): Promise<KnownFreezes> {
  const rows = await db.selectFrom('freeze').selectAll().orderBy('set_at').orderBy('freeze_id').execute();
  return {
    live: rows.filter(({ lifted_at }) => lifted_at === null).map(freeze),
    lifted: rows.filter(({ lifted_at }) => lifted_at !== null).map(({ freeze_id }) => freeze_id),
  };
}

/** A row that nobody lifted was made by its `freeze.set`, which says all of these. */
const freeze = (row: Row<'freeze'>): Freeze => ({
  freezeId: row.freeze_id,
  target: { kind: row.kind as FactData<'freeze.set'>['target']['kind'], ...present({ name: row.name }) },
  by: row.set_by!,
  why: row.why!,
  setAt: row.set_at!,
});
