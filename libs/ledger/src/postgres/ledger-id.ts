import type { PoolClient } from 'pg';

/**
 * Which ledger the database holds, made where nobody said so yet: also after its row was deleted, so that a copy of a database becomes a
 * ledger of its own. The caller's transaction holds the list of generations.
 */
export async function ledgerIdOf(client: PoolClient): Promise<string> {
  await client.query('insert into doorledger.ledger_identity (ledger_id) values (gen_random_uuid()) on conflict do nothing');
  const { rows } = await client.query<{ ledger_id: string }>('select ledger_id from doorledger.ledger_identity');
  return rows[0]!.ledger_id;
}
