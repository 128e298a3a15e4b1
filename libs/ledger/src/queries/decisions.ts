import { topics } from '@doorledger/contracts';
import type { DecisionRow } from '@doorledger/event-log';
import type { Kysely } from 'kysely';
import { keyPrint } from '../projection/decision.js';
import type { LedgerTables } from '../schema/index.js';

/** Spend and place in one statement, so that both are of one moment. */
export async function readDecision(db: Kysely<LedgerTables>, key: string, partition: number): Promise<DecisionRow> {
  const row = await db
    .selectFrom('projection_offset as o')
    .leftJoin('decision as d', (join) => join.on('d.key_print', '=', keyPrint(key)))
    .select(['o.next', 'd.claim_id', 'd.offset'])
    .where('o.topic', '=', topics.spend.name)
    .where('o.partition', '=', partition)
    .executeTakeFirst();
  if (!row) return { next: 0 };
  const { next, offset, claim_id: claimId } = row;
  return { next, ...(offset !== null && { spend: { offset, claimId } }) };
}
