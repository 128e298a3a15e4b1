import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { keysOfOwner, says, type Whose } from './narrowed.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';
import { present } from './present.js';
import { callItem, type CallItem } from './turns.js';

/** What became of a call's last dispatched attempt. */
export const TOOL_CALL_STATES = ['dispatched', 'ok', 'error', 'not-sent', 'cancelled', 'outcome-unknown', 'ran', 'did-not-run'] as const;

export interface ToolCallFilter extends Whose {
  readonly state?: (typeof TOOL_CALL_STATES)[number];
  readonly turnId?: string;
  readonly server?: string;
  readonly tool?: string;
}

export interface ToolCallItem extends CallItem {
  /** A call of a turn without a session names none. */
  readonly sessionRef?: string;
  readonly turnId?: string;
  readonly runId?: string;
  readonly toolSessionId?: string;
  /** Who said what became of it (userRef). */
  readonly reconciledBy?: string;
  /** What a late record claims against the standing end. */
  readonly conflict?: string;
}

const newestFirst: PageOrder<Pick<Row<'tool_call'>, 'dispatched_at' | 'call_id'>> = {
  columns: ['dispatched_at', 'call_id'],
  direction: 'desc',
};

/** Tool calls, the one dispatched last first. */
export async function listToolCalls(
  db: Kysely<LedgerTables>,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
  filter: ToolCallFilter,
): Promise<Page<ToolCallItem>> {
  const { state, sessions, turnId, server, tool, owner, tenant } = filter;
  let query = db
    .selectFrom('tool_call')
    .selectAll()
    .orderBy('dispatched_at', 'desc')
    .orderBy('call_id', 'desc')
    .limit(limit + 1);
  if (state !== undefined) query = query.where(says('status', state, filter));
  if (sessions !== undefined) query = query.where('session_key', 'in', sessions);
  if (turnId !== undefined) query = query.where('turn_id', '=', turnId);
  if (server !== undefined) query = query.where(says('server', server, filter));
  if (tool !== undefined) query = query.where(says('tool', tool, filter));
  if (owner !== undefined) query = query.where('session_key', 'in', keysOfOwner(db, owner));
  if (tenant !== undefined) query = query.where('tenant_ref', '=', tenant);
  if (cursor !== undefined) query = query.where(afterCursor(newestFirst, cursor));
  return pageOf(await query.execute(), limit, newestFirst, toolCallItem);
}

const toolCallItem = (row: Row<'tool_call'>): ToolCallItem => ({
  ...callItem(row),
  ...present({
    sessionRef: row.session_key === row.turn_id ? null : row.session_key,
    turnId: row.turn_id,
    runId: row.run_id,
    toolSessionId: row.tool_session_id,
    reconciledBy: row.reconciled_by,
    conflict: row.conflict,
  }),
});
