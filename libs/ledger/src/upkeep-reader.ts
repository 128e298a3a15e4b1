import type { LedgerStore } from './store.js';
import { listBlocked, type BlockedKey } from './queries/blocked-keys.js';
import { readContentInUse, readNamesInUse, type NameRow } from './queries/content-in-use.js';
import { readRetention } from './queries/retention.js';

/** What operators' work on the records asks of a ledger. */
export interface UpkeepReader {
  /** Keys that a record nobody can read blocks (L8), in their order. */
  blocked(): Promise<BlockedKey[]>;
  /** By partition of the private topic, the lowest offset that waiting or running turns and grants in force still need. `now`: epoch ms. */
  contentInUse(now: number): Promise<ReadonlyMap<number, number>>;
  /** Names that lie before `before` in a partition of the private topic, of open sessions used at `since` (epoch ms) or later and their owners. */
  namesInUse(partition: number, before: number, since: number): Promise<NameRow[]>;
  /** By `topic:partition`, the offset below which rows are gone by rule (X3). */
  retention(): Promise<ReadonlyMap<string, number>>;
}

export const upkeepReader = (store: Pick<LedgerStore, 'db'>): UpkeepReader => ({
  blocked: () => listBlocked(store.db),
  contentInUse: (now) => readContentInUse(store.db, now),
  namesInUse: (partition, before, since) => readNamesInUse(store.db, { partition, before, since }),
  retention: () => readRetention(store.db),
});
