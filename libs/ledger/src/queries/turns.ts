import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { present, presentTimes } from './present.js';

/** Undefined where no claim of this turn ever stood or waited. */
export function readTurn(db: Kysely<LedgerTables>, turnId: string): Promise<Row<'turn'> | undefined> {
  return db.selectFrom('turn').selectAll().where('turn_id', '=', turnId).orderBy('session_key').executeTakeFirst();
}

export interface TurnDetail {
  readonly turnId: string;
  /** The session's reference; a turn without a session has none. */
  readonly sessionRef?: string;
  readonly status: string;
  readonly hostId?: string;
  readonly claimedAt?: string;
  readonly lastActivity?: string;
  readonly endedAt?: string;
  readonly steps: number;
  readonly awaiting?: string;
  readonly errorCode?: string;
  readonly errorName?: string;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly model: string };
  readonly toolCalls: readonly CallItem[];
}

export interface CallItem {
  readonly callId: string;
  readonly server?: string;
  readonly tool?: string;
  readonly gated: boolean;
  readonly requestId?: string;
  readonly attempt: number;
  readonly status: string;
  readonly dispatchedAt?: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  readonly errorClass?: string;
}

/** The most calls a turn can have standing: steps times calls per step (L21), some times over for its runs. */
const MAX_CALLS = 1000;

/** A turn with its tool calls in the order they were sent. */
export async function readTurnDetail(db: Kysely<LedgerTables>, turnId: string): Promise<TurnDetail | undefined> {
  const turn = await readTurn(db, turnId);
  if (!turn) return undefined;
  const calls = await db
    .selectFrom('tool_call')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('session_key', '=', turn.session_key)
    .orderBy('dispatched_at')
    .orderBy('call_id')
    .limit(MAX_CALLS)
    .execute();
  return {
    turnId,
    ...(turn.session_key !== turnId && { sessionRef: turn.session_key }),
    status: turn.status ?? 'unknown',
    ...present({ hostId: turn.host_id, awaiting: turn.awaiting, errorCode: turn.error_code, errorName: turn.error_name }),
    ...presentTimes({ claimedAt: turn.claimed_at, lastActivity: turn.last_at, endedAt: turn.ended_at }),
    steps: turn.steps ?? 0,
    ...(turn.model !== null && { usage: { inputTokens: turn.input_tokens!, outputTokens: turn.output_tokens!, model: turn.model } }),
    toolCalls: calls.map(callItem),
  };
}

export const callItem = (row: Row<'tool_call'>): CallItem => ({
  callId: row.call_id,
  gated: row.gated === 1,
  attempt: row.attempt ?? 0,
  status: row.status ?? 'unknown',
  ...present({ server: row.server, tool: row.tool, requestId: row.request_id, errorClass: row.error_class, durationMs: row.duration_ms }),
  ...presentTimes({ dispatchedAt: row.dispatched_at, endedAt: row.ended_at }),
});
