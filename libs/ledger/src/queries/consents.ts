import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { consentItem, withCalls, type ConsentItem } from './consent-item.js';
import { says, type Whose } from './narrowed.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';

/** How far somebody sees who does not see everything: all of one tenant (tenantRef), or what was asked for them and what they may have to decide (N50). */
export type ConsentSight = { readonly tenant: string } | PartySight;

export interface PartySight {
  /** userRef */
  readonly party: string;
  /** Of an approver: requests that wait in this tenant; null is the one of a deployment without tenants. */
  readonly decidesIn?: { readonly tenantRef: string | null };
}

export interface ConsentFilter {
  readonly state?: ConsentItem['state'];
  readonly server?: string;
  readonly tool?: string;
  /** Keys of the session topic, any of them. */
  readonly sessions?: readonly string[];
  readonly turnId?: string;
  /** Undefined sees everything. */
  readonly sight?: ConsentSight;
}

type Requests = SelectQueryBuilder<LedgerTables, 'consent', Row<'consent'>>;

const newestFirst: PageOrder<Pick<Row<'consent'>, 'minted_at' | 'request_id'>> = {
  columns: ['minted_at', 'request_id'],
  direction: 'desc',
};

/** Requests for consent, the one asked last first. */
export async function listConsents(
  db: Kysely<LedgerTables>,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
  filter: ConsentFilter,
): Promise<Page<ConsentItem>> {
  const { state, sight } = filter;
  const newest = (rows: Requests): Requests => {
    const ordered = rows
      .orderBy('minted_at', 'desc')
      .orderBy('request_id', 'desc')
      .limit(limit + 1);
    return cursor === undefined ? ordered : ordered.where(afterCursor(newestFirst, cursor));
  };
  const own = newest(ownRequests(db, filter));
  const isPartys = sight !== undefined && 'party' in sight;
  const decidesIn = isPartys && (state === undefined || state === 'pending') ? sight.decidesIn : undefined;
  // Each half by an index of its own, and no more of it than a page.
  const rows =
    isPartys && decidesIn
      ? db
          .selectFrom(own.as('own'))
          .selectAll()
          .unionAll(db.selectFrom(newest(waitingRequests(db, filter, sight.party, decidesIn.tenantRef)).as('others')).selectAll())
      : own;
  const found = await withCalls(db, rows)
    .orderBy('c.minted_at', 'desc')
    .orderBy('c.request_id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(found, limit, newestFirst, consentItem);
}

/** What was asked for a party, in a tenant, or for anybody. */
function ownRequests(db: Kysely<LedgerTables>, filter: ConsentFilter): Requests {
  const { sight } = filter;
  if (!sight) return narrowed(requests(db), filter);
  if ('tenant' in sight) return narrowed(requests(db), filter, { tenant: sight.tenant }).where('tenant_ref', '=', sight.tenant);
  return narrowed(requests(db), filter, { owner: sight.party }).where('party_ref', '=', sight.party);
}

/** What waits in a tenant, but for what was asked for one party. */
function waitingRequests(db: Kysely<LedgerTables>, filter: ConsentFilter, party: string, tenantRef: string | null): Requests {
  return narrowed(requests(db), { ...filter, state: 'pending' })
    .where('party_ref', '<>', party)
    .where('tenant_ref', tenantRef === null ? 'is' : '=', tenantRef);
}

/** A request whose pause is not read yet is none. Not by the index of states: a page is found by its order. */
const requests = (db: Kysely<LedgerTables>): Requests =>
  db
    .selectFrom('consent')
    .selectAll('consent')
    .where(sql<boolean>`coalesce(status, '') <> ''`);

function narrowed(rows: Requests, { state, server, tool, sessions, turnId }: ConsentFilter, of: Whose = {}): Requests {
  const whose: Whose = { ...(sessions && { sessions }), ...of };
  let query = rows;
  if (state !== undefined) query = query.where(says('status', state, whose));
  if (sessions !== undefined) query = query.where('session_key', 'in', sessions);
  if (turnId !== undefined) query = query.where('turn_id', '=', turnId);
  if (server !== undefined) query = query.where(says('server', server, whose));
  if (tool !== undefined) query = query.where(says('tool', tool, whose));
  return query;
}
