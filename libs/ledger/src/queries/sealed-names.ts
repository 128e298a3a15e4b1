import type { Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

/** What a reference stands for, sealed under the key of whom it names (spec 9). */
export interface SealedName {
  readonly ref: string;
  readonly keyId: string;
  readonly sealed: Uint8Array;
  /** Of a session: who owns it; null for one that nobody owns. Absent for what is no session. */
  readonly owner?: string | null;
}

/** The names of these persons and sessions, as far as they were said. */
export async function readSealedNames(db: Kysely<LedgerTables>, refs: readonly string[]): Promise<SealedName[]> {
  if (refs.length === 0) return [];
  const rows = await db
    .selectFrom('subject as n')
    .leftJoin('session as s', 's.session_key', 'n.ref')
    .select(['n.ref', 'n.kind', 'n.key_id', 'n.sealed', 's.session_key', 's.owner'])
    .where('n.ref', 'in', refs)
    .execute();
  return rows.flatMap(({ ref, kind, key_id: keyId, sealed, session_key: key, owner }) =>
    sealed === null ? [] : [{ ref, keyId, sealed, ...(kind === 'session' && key !== null && { owner }) }],
  );
}
