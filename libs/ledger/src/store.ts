import type { Kysely } from 'kysely';
import type { Place } from './projection/place.js';
import type { RowChanges } from './row-changes.js';
import type { LedgerTables } from './schema/index.js';

/** Moves one partition's place from `from` to `to.next`. */
export interface Advance {
  readonly topic: string;
  readonly partition: number;
  /** The next offset the projector believes is stored; 0 for a partition without a row. */
  readonly from: number;
  readonly to: Place;
}

export interface LedgerCommit {
  readonly advances: readonly Advance[];
  readonly changes: RowChanges;
}

/**
 * One generation of ledger tables (design §5). Engines differ in how they write; every query is portable SQL over `db`.
 */
export interface LedgerStore {
  /** For single, short queries. */
  readonly db: Kysely<LedgerTables>;
  /**
   * Rows and places in ONE transaction. `stale` means somebody else moved a place: nothing was written, and this projector stops.
   * Rejects when the database cannot say whether it committed; the places tell.
   */
  commit(commit: LedgerCommit): Promise<'committed' | 'stale'>;
  /** Every query of `read` sees the same moment, however long it takes; commits go on meanwhile. */
  snapshot<T>(read: (db: Kysely<LedgerTables>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
