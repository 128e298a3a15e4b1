import { topics, type FactData } from '@doorledger/contracts';
import { sql, type Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { consentItem, withCalls, type ConsentItem } from './consent-item.js';

/** What a record of the session topic changed about a request for consent that a person was asked for (N54). */
export interface ConsentNews {
  /**
   * - `waiting`: its turn paused for it.
   * - `settled`: it was approved, declined, closed or expired, or its settling cannot be read.
   * - `outcome`: what became of its approved call, or that nobody knows; a call can have several, each at another time.
   */
  readonly kind: 'waiting' | 'settled' | 'outcome';
  /** Log timestamp of that record, epoch ms. */
  readonly at: number;
  /** As the ledger shows it now, which may be after later records. */
  readonly consent: ConsentItem;
  readonly tenantRef?: string;
}

/** Everything about the records from an offset up to `to`; `end` is where the ledger has read to. */
export interface NewsRange {
  readonly to: number;
  readonly end: number;
  readonly news: readonly ConsentNews[];
}

type Kind = ConsentNews['kind'];
interface Told {
  readonly kind: Kind;
  readonly at: number;
  readonly offset: number;
  readonly request_id: string;
  readonly session_key: string;
}

const list = (types: readonly string[]) => sql.join(types.map((type) => sql.lit(type)));
const SETTLES = list(['consent.spent', 'session.closed']);
const ENDS_CALLS = list(['tool-call.finished', 'tool-call.reconciled']);
/** A queue that moves on ends a lapsed run, whichever of these records moved it. */
const ENDS_RUNS = list([
  'turn.claimed',
  'turn.paused',
  'turn.completed',
  'turn.failed',
  'turn.lapsed',
  'session.closed',
  'consent.spent',
  'tool-call.finished',
]);

/**
 * News of at most `limit` offsets of a partition of the session topic from `from` on, in the order of the log. Requests made under a
 * remembered grant asked nobody and are none. Columns that tell when something became so have the log timestamp of the record that did it:
 * of two records of one session and one millisecond both may be taken for it.
 */
export async function readConsentNews(db: Kysely<LedgerTables>, partition: number, from: number, limit: number): Promise<NewsRange> {
  const place = await db
    .selectFrom('projection_offset')
    .select('next')
    .where('topic', '=', topics.session.name)
    .where('partition', '=', partition)
    .executeTakeFirst();
  const end = place?.next ?? 0;
  const to = Math.min(end, from + limit);
  if (to <= from) return { to: from, end, news: [] };
  const told = [...(await pausesIn(db, partition, from, to)), ...(await changesIn(db, partition, from, to))];
  return { to, end, news: await newsOf(db, told) };
}

async function pausesIn(db: Kysely<LedgerTables>, partition: number, from: number, to: number): Promise<Told[]> {
  const rows = await db
    .selectFrom('fact')
    .select(['offset', 'at', 'session_key', 'data'])
    .where('partition', '=', partition)
    .where('offset', '>=', from)
    .where('offset', '<', to)
    .where('type', '=', 'turn.paused')
    .where('verdict', '=', 'stands')
    .execute();
  return rows.map(({ data, ...row }) => ({
    ...row,
    kind: 'waiting',
    request_id: (JSON.parse(data!) as FactData<'turn.paused'>).requestId,
  }));
}

async function changesIn(db: Kysely<LedgerTables>, partition: number, from: number, to: number): Promise<Told[]> {
  const range = sql`f.partition = ${partition} and f."offset" >= ${from} and f."offset" < ${to}`;
  const { rows } = await sql<Told>`
    select 'settled' as kind, f.at, f."offset", c.request_id, c.session_key
      from fact as f join consent as c on c.settled_at = f.at and c.session_key = f.session_key
      where ${range} and f.type in (${SETTLES}) and (f.verdict = 'stands' or f.void_reason = 'unreadable') and c.status <> 'void'
    union all
    select 'outcome' as kind, f.at, f."offset", c.request_id, c.session_key
      from fact as f join consent as c on c.not_run_at = f.at and c.session_key = f.session_key
      where ${range} and f.type in (${ENDS_RUNS})
    union all
    select 'outcome' as kind, f.at, f."offset", t.request_id, t.session_key
      from fact as f join tool_call as t on t.ended_at = f.at and t.session_key = f.session_key and t.request_id is not null
      where ${range} and case when t.status = 'outcome-unknown' then f.type in (${ENDS_RUNS})
        else t.status not in ('dispatched', 'not-sent') and f.verdict = 'stands' and f.type in (${ENDS_CALLS}) end`.execute(db);
  return rows;
}

async function newsOf(db: Kysely<LedgerTables>, told: readonly Told[]): Promise<ConsentNews[]> {
  if (told.length === 0) return [];
  const requests = db
    .selectFrom('consent')
    .selectAll()
    .where('request_id', 'in', [...new Set(told.map(({ request_id }) => request_id))])
    .where('status', 'is not', null)
    .where('grant_id', 'is', null);
  const rows = await withCalls(db, requests).execute();
  const turns = await turnsOf(db, rows);
  const nameOf = (row: { readonly request_id: string; readonly session_key: string }) => `${row.request_id} ${row.session_key}`;
  const known = new Map(rows.map((row) => [nameOf(row), row]));
  const news = new Map<string, ConsentNews>();
  for (const { kind, at, ...of } of [...told].sort((a, b) => a.offset - b.offset)) {
    const row = known.get(nameOf(of));
    if (!row) continue;
    const tenantRef = turns.get(`${row.turn_id} ${row.session_key}`) ?? undefined;
    news.set(`${kind} ${at} ${nameOf(of)}`, { kind, at, consent: consentItem(row), ...(tenantRef !== undefined && { tenantRef }) });
  }
  return [...news.values()];
}

/** The tenant of each turn. */
async function turnsOf(db: Kysely<LedgerTables>, of: readonly Row<'consent'>[]): Promise<Map<string, string | null>> {
  const turnIds = of.flatMap(({ turn_id }) => (turn_id === null ? [] : [turn_id]));
  if (turnIds.length === 0) return new Map();
  const rows = await db.selectFrom('turn').select(['turn_id', 'session_key', 'tenant_ref']).where('turn_id', 'in', turnIds).execute();
  return new Map(rows.map((row) => [`${row.turn_id} ${row.session_key}`, row.tenant_ref]));
}
