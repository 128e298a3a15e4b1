import type { Kysely } from 'kysely';
import type { PartitionHead } from '@doorledger/proof';
import type { LedgerTables } from '../schema/index.js';

/** The chains of all partitions that have one, as of one moment, whichever projector folded them (V1). */
export async function readHeads(db: Kysely<LedgerTables>): Promise<PartitionHead[]> {
  const rows = await db
    .selectFrom('projection_offset')
    .select(['topic', 'partition', 'next', 'chain_from', 'chain_head'])
    .orderBy('topic')
    .orderBy('partition')
    .execute();
  return rows.flatMap(({ topic, partition, next, chain_from: from, chain_head: head }) =>
    from === null || head === null ? [] : [{ topic, partition, from, next, head }],
  );
}
