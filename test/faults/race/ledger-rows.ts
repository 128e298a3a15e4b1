import type { LedgerStore } from '@doorledger/ledger';
import type { CallEvidence } from '../zombies/judgement.js';
import type { ConsentEvidence } from './judge-consents.js';

/** What a ledger says of every request and every call, by their ids. */
export async function ledgerRows({
  db,
}: Pick<LedgerStore, 'db'>): Promise<Pick<CallEvidence & ConsentEvidence, 'ledgerCalls' | 'ledgerConsents'>> {
  const consents = await db.selectFrom('consent').select(['request_id', 'status', 'not_run_at']).execute();
  const calls = await db.selectFrom('tool_call').select(['call_id', 'status']).execute();
  return {
    ledgerConsents: new Map(consents.map((row) => [row.request_id, { status: row.status ?? '', isNotRun: row.not_run_at !== null }])),
    ledgerCalls: new Map(calls.map((row) => [row.call_id, row.status ?? ''])),
  };
}
