import { whatBecame, type Became } from '@doorledger/consent';
import type { AliasedExpression, Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { present, presentTimes } from './present.js';
import { requestRow } from './request-row.js';

/** How a request was settled; `void` where its pause did not follow, so that nobody could ever spend it. */
export const CONSENT_STATES = ['pending', 'approved', 'declined', 'closed', 'expired', 'unknown', 'void'] as const;

/** A request for consent as the API shows it. The arguments that were asked about are private: a host shows them (P4). */
export interface ConsentItem {
  readonly requestId: string;
  readonly state: (typeof CONSENT_STATES)[number];
  /** What became of the call it was asked for. */
  readonly became: Became;
  readonly turnId?: string;
  readonly callId?: string;
  /** A turn without a session names none. */
  readonly sessionRef?: string;
  /** Who asked (userRef). */
  readonly party?: string;
  readonly gate?: string;
  readonly rule?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly toolHash?: string;
  /** Of a request that several people have to approve. */
  readonly quorum?: number;
  readonly votes?: { readonly have: number; readonly need: number };
  /** The remembered grant it was made under (N52). */
  readonly grantId?: string;
  readonly decideBy?: string;
  readonly spendBy?: string;
  readonly mintedAt?: string;
  readonly settledAt?: string;
  /** Who settled it (userRef). */
  readonly settledBy?: string;
  readonly reason?: string;
  /** The request that this one was made in place of. */
  readonly replaces?: string;
}

/** A row with what is told of its call and its votes. */
export type ConsentRow = Row<'consent'> & { readonly call_status: string | null; readonly have: number | string | bigint | null };

/** Rows with what is told of their calls and their votes: read for these rows and no others. */
export const withCalls = (db: Kysely<LedgerTables>, rows: { as(alias: 'c'): AliasedExpression<Row<'consent'>, 'c'> }) =>
  db
    .selectFrom(rows.as('c'))
    .leftJoin('tool_call as t', (join) => join.onRef('t.call_id', '=', 'c.call_id').onRef('t.session_key', '=', 'c.session_key'))
    .selectAll('c')
    .select((of) => [
      't.status as call_status',
      of
        .selectFrom('consent_attempt as a')
        .select((votes) => votes.fn.countAll().as('have'))
        .whereRef('a.request_id', '=', 'c.request_id')
        .whereRef('a.session_key', '=', 'c.session_key')
        .where('a.kind', '=', 'voted')
        .where('a.stands', '=', 1)
        .where('a.verdict', '=', 'approved')
        .as('have'),
    ]);

export const consentItem = (row: ConsentRow): ConsentItem => ({
  requestId: row.request_id,
  state: row.status as ConsentItem['state'],
  became: whatBecame(requestRow(row, row.call_status)),
  ...(row.quorum !== null && { quorum: row.quorum, votes: { have: Number(row.have), need: row.quorum } }),
  ...present({
    turnId: row.turn_id,
    callId: row.call_id,
    sessionRef: row.session_key === row.turn_id ? null : row.session_key,
    party: row.party_ref,
    gate: row.gate,
    rule: row.rule,
    server: row.server,
    tool: row.tool,
    toolHash: row.tool_hash,
    grantId: row.grant_id,
    settledBy: row.settled_by,
    reason: row.reason,
    replaces: row.replaces,
  }),
  ...presentTimes({ decideBy: row.decide_by, spendBy: row.spend_by, mintedAt: row.minted_at, settledAt: row.settled_at }),
});
