import type { FactData } from '@doorledger/contracts';
import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { keysOfOwner, keysOfTenant, says, type Whose } from './narrowed.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';
import { present, presentTimes } from './present.js';

type CloseReason = FactData<'tool-session.closed'>['reason'];

const isCloseReason: Readonly<Record<CloseReason, true>> = {
  'call-end': true,
  'run-end': true,
  'session-end': true,
  idle: true,
  'max-age': true,
  evicted: true,
  shutdown: true,
  revoked: true,
  'upstream-gone': true,
  'handle-lost': true,
  'host-lost': true,
};

export const CLOSE_REASONS = Object.keys(isCloseReason) as readonly CloseReason[];
export const TOOL_SESSION_STATES = ['live', 'ended'] as const;

export interface ToolSessionFilter extends Whose {
  readonly state?: (typeof TOOL_SESSION_STATES)[number];
  readonly server?: string;
  readonly reason?: CloseReason;
}

export interface ToolSessionItem {
  readonly toolSessionId: string;
  readonly state: (typeof TOOL_SESSION_STATES)[number];
  readonly server?: string;
  readonly tool?: string;
  readonly scope?: string;
  readonly label?: string;
  readonly keyHash: string;
  readonly hostId?: string;
  readonly bootId?: string;
  /** Whose call opened it; a turn without a session names none. */
  readonly sessionRef?: string;
  readonly turnId?: string;
  readonly runId?: string;
  readonly callId?: string;
  readonly calls: number;
  readonly startedAt?: string;
  readonly usedAt?: string;
  readonly closedAt?: string;
  /** Why it was closed, and the error's class where closing went wrong. */
  readonly reason?: string;
  readonly errorClass?: string;
  readonly cleanupMs?: number;
  /** How long it lived, as its host measured it; of a live one, how long ago by `now` it began. */
  readonly ageMs?: number;
  /** Of a live one: how long ago it was last used. */
  readonly idleMs?: number;
}

const newestFirst: PageOrder<Pick<Row<'tool_session'>, 'started_at' | 'tool_session_id'>> = {
  columns: ['started_at', 'tool_session_id'],
  direction: 'desc',
};

/** Tool sessions, the last one opened first. `now` in epoch ms is what the ages of live ones are told by. */
export async function listToolSessions(
  db: Kysely<LedgerTables>,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
  filter: ToolSessionFilter,
  now: number,
): Promise<Page<ToolSessionItem>> {
  const { state, sessions, server, reason, owner, tenant } = filter;
  let query = db
    .selectFrom('tool_session')
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('tool_session_id', 'desc')
    .limit(limit + 1);
  if (state !== undefined) query = query.where('closed_at', state === 'live' ? 'is' : 'is not', null);
  if (sessions !== undefined) query = query.where('session_key', 'in', sessions);
  if (server !== undefined) query = query.where(says('server', server, filter));
  if (reason !== undefined) query = query.where(says('close_reason', reason, filter));
  if (owner !== undefined) query = query.where('session_key', 'in', keysOfOwner(db, owner));
  if (tenant !== undefined) query = query.where('session_key', 'in', keysOfTenant(db, tenant));
  if (cursor !== undefined) query = query.where(afterCursor(newestFirst, cursor));
  return pageOf(await query.execute(), limit, newestFirst, (row) => toolSessionItem(row, now));
}

const toolSessionItem = (row: Row<'tool_session'>, now: number): ToolSessionItem => ({
  toolSessionId: row.tool_session_id,
  state: row.closed_at === null ? 'live' : 'ended',
  keyHash: row.key_hash,
  calls: row.calls ?? 0,
  ...present({
    server: row.server,
    tool: row.tool,
    scope: row.scope,
    label: row.label,
    hostId: row.host_id,
    bootId: row.boot_id,
    sessionRef: row.session_key === row.turn_id ? null : row.session_key,
    turnId: row.turn_id,
    runId: row.run_id,
    callId: row.call_id,
    reason: row.close_reason,
    errorClass: row.close_error_class,
    cleanupMs: row.cleanup_ms,
    ...(row.closed_at === null ? { ageMs: since(row.started_at, now), idleMs: since(row.used_at, now) } : { ageMs: row.age_ms }),
  }),
  ...presentTimes({ startedAt: row.started_at, usedAt: row.used_at, closedAt: row.closed_at }),
});

/** The log's clock may be ahead of the reader's. */
const since = (at: number | null, now: number): number | null => (at === null ? null : Math.max(0, now - at));
