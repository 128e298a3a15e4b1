import type { LedgerStore } from '@doorledger/ledger';
import { ledgerRows } from '../race/ledger-rows.js';

/** What the ledger says of a log, by the ids that are on it. */
export interface SystemLedger extends Awaited<ReturnType<typeof ledgerRows>> {
  readonly turns: ReadonlyMap<string, string>;
  /** By toolSessionId: why it was closed; null while it is open. */
  readonly closeReasons: ReadonlyMap<string, string | null>;
  /** `partition/offset` of each record of the session topic that stands. */
  readonly standing: ReadonlySet<string>;
}

const judged = ['consent.minted', 'consent.spent', 'session.closed', 'tool-call.dispatched', 'tool-call.finished'];

export async function systemLedger(store: Pick<LedgerStore, 'db'>): Promise<SystemLedger> {
  const { db } = store;
  const turns = await db.selectFrom('turn').select(['turn_id', 'status']).execute();
  const sessions = await db.selectFrom('tool_session').select(['tool_session_id', 'close_reason']).execute();
  const facts = await db
    .selectFrom('fact')
    .select(['partition', 'offset'])
    .where('type', 'in', judged)
    .where('verdict', '=', 'stands')
    .execute();
  return {
    ...(await ledgerRows(store)),
    turns: new Map(turns.map((row) => [row.turn_id, row.status ?? ''])),
    closeReasons: new Map(sessions.map((row) => [row.tool_session_id, row.close_reason])),
    standing: new Set(facts.map(({ partition, offset }) => `${partition}/${offset}`)),
  };
}
