import { sql, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely';
import type { LedgerTables } from '../schema/index.js';
import type { SessionSearch } from './found-sessions.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';
import { isoTime } from './iso-time.js';
import type { Whose } from './narrowed.js';
import { present, presentTimes } from './present.js';

export interface SessionItem {
  readonly sessionRef: string;
  readonly owner?: string;
  readonly turns: number;
  readonly lastActivity: string;
  /** The request it waits for. */
  readonly awaiting?: string;
  readonly closedAt?: string;
  readonly closedReason?: string;
  /** The place of the record nobody can read (L8). */
  readonly blockedBy?: { readonly partition: number; readonly offset: number };
}

interface SessionListRow {
  readonly last_at: number;
  readonly session_key: string;
}

const newestFirst: PageOrder<SessionListRow> = { columns: ['last_at', 'session_key'], direction: 'desc' };

/** Whose sessions somebody may see: those of one person (userRef) or of one tenant (tenantRef); neither is everybody's. */
export type Shown = Pick<Whose, 'owner' | 'tenant'>;

/** Whether a key of the session topic is one of them. */
export async function isShown(db: Kysely<LedgerTables>, key: string, { owner, tenant }: Shown): Promise<boolean> {
  if (owner === undefined && tenant === undefined) return true;
  const row = await db.selectFrom('session').select(['owner', 'tenant_ref']).where('session_key', '=', key).executeTakeFirst();
  return row !== undefined && (owner === undefined || row.owner === owner) && (tenant === undefined || row.tenant_ref === tenant);
}

/** Sessions by their last activity, newest first; those that are sought, or all. Turns without a session are not in it. */
export async function listSessions(
  db: Kysely<LedgerTables>,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
  { owner, tenant }: Shown = {},
  sought?: SessionSearch,
): Promise<Page<SessionItem>> {
  // Where it is known whose they are, they are found by that (see `says`).
  const isAnybodys = owner === undefined && tenant === undefined;
  let query = db
    .selectFrom('session')
    .selectAll()
    .where(isAnybodys ? sql<SqlBool>`named = 1` : sql<SqlBool>`coalesce(named, 0) = 1`)
    .orderBy('last_at', 'desc')
    .orderBy('session_key', 'desc')
    .limit(limit + 1);
  if (owner !== undefined) query = query.where('owner', '=', owner);
  if (tenant !== undefined) query = query.where('tenant_ref', '=', tenant);
  if (sought) query = query.where((of) => isSought(of, sought));
  if (cursor !== undefined) query = query.where(afterCursor(newestFirst, cursor));
  return pageOf(await query.execute(), limit, newestFirst, (row) => ({
    sessionRef: row.session_key,
    turns: row.turns,
    lastActivity: isoTime(row.last_at),
    ...present({ owner: row.owner, awaiting: row.awaiting, closedReason: row.closed_reason }),
    ...presentTimes({ closedAt: row.closed_at }),
    ...(row.blocked_by !== null && { blockedBy: { partition: row.partition, offset: row.blocked_by } }),
  }));
}

function isSought(of: ExpressionBuilder<LedgerTables, 'session'>, sought: SessionSearch) {
  if ('keys' in sought) return of('session_key', 'in', sought.keys);
  if ('owner' in sought) return of.or([of('session_key', '=', sought.key), of('owner', '=', sought.owner)]);
  // References are hex digits: "g" comes after all of them.
  return of.and([of('session_key', '>=', sought.prefix), of('session_key', '<', `${sought.prefix}g`)]);
}
