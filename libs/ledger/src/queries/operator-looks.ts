import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';

/** A call by its id: its last dispatched attempt and what became of it. */
export const readToolCall = (db: Kysely<LedgerTables>, callId: string): Promise<Row<'tool_call'> | undefined> =>
  db.selectFrom('tool_call').selectAll().where('call_id', '=', callId).orderBy('session_key').executeTakeFirst();

export interface PendingConsent {
  readonly requestId: string;
  readonly sessionKey: string;
}

/** What turns of this person (userRef) wait for, oldest first. */
export async function readPendingConsentsOf(db: Kysely<LedgerTables>, partyRef: string): Promise<PendingConsent[]> {
  const rows = await db
    .selectFrom('consent')
    .select(['request_id', 'session_key'])
    .where('status', '=', 'pending')
    .where('party_ref', '=', partyRef)
    .orderBy('minted_at')
    .orderBy('request_id')
    .execute();
  return rows.map(({ request_id, session_key }) => ({ requestId: request_id, sessionKey: session_key }));
}
