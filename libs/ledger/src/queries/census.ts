import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { missingAs } from './census-check.js';
import { livesBetween, readLife } from './census-life.js';
import { readToldPlaces } from './census-places.js';
import { Tallies, refused, type CensusItem, type CensusRequest } from './census-tally.js';
import { isoTime } from './iso-time.js';

export interface Census {
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  /**
   * Of every life of a host in this time: issued and not yet on the log, and never written. No time, door or outcome is known of them, nor a
   * tenant: absent from a tenant's census.
   */
  readonly pending?: number;
  readonly unknown?: number;
  readonly items: readonly CensusItem[];
}

const ROWS_AT_ONCE = 5000;
const MAX_WINDOWS = 1000;

/**
 * How the doors answered, counted (P2). A count belongs where it begins; records of somebody else's door are not in it.
 * @throws LedgerError `ERR_INVALID_QUERY` for too many windows or items: bounded, like every page
 */
export async function readCensus(db: Kysely<LedgerTables>, request: CensusRequest): Promise<Census> {
  const { from, to, windowMs, tenant } = request;
  if (to <= from) throw refused('from has to be before to.');
  if (windowMs !== undefined && (to - from) / windowMs > MAX_WINDOWS)
    throw refused(`At most ${MAX_WINDOWS} windows fit one answer: ask for a shorter time or longer windows.`);
  const tallies = new Tallies(request);
  await addRecords(db, request, tallies);
  // What is merged into counts (E6) or has no verdict (E4) is of nobody who was proven.
  if (tenant === undefined) await addCounts(db, request, tallies);
  const items = tallies.items();
  const missing = tenant === undefined ? await readMissing(db, from, to) : {};
  return { from: isoTime(from), to: isoTime(to), requests: items.reduce((sum, i) => sum + i.requests, 0), ...missing, items };
}

/** Group by group of so many rows: the database counts them, and the event loop gets its turn. */
async function addRecords(db: Kysely<LedgerTables>, { from, to, windowMs, tenant }: CensusRequest, tallies: Tallies): Promise<void> {
  const window = sql<number>`${windowMs === undefined ? sql.lit(from) : sql`at - at % ${sql.lit(windowMs)}`}`;
  for (let after: Place | undefined = { at: from, partition: -1, offset: -1 }; after;) {
    const upTo = await placeBehind(db, after, to, tenant);
    let query = db
      .selectFrom('ingress')
      .select(['outcome', 'door', 'identity_failure', 'error_code', 'error_name'])
      .select([window.as('window'), sql<number>`count(*)`.as('requests')])
      .where('external', '=', 0)
      .where(compared('>', after))
      // One upper bound alone: of two SQLite takes the wider one to the index.
      .where(upTo ? compared('<=', upTo) : sql<boolean>`at < ${to}`)
      .groupBy(['window', 'outcome', 'door', 'identity_failure', 'error_code', 'error_name']);
    if (tenant !== undefined) query = query.where('tenant_ref', '=', tenant);
    const rows = await query.execute();
    for (const { window: at, requests, outcome, door, identity_failure, error_code, error_name } of rows)
      tallies.at(Number(at), { outcome, door, cause: identity_failure ?? error_code ?? error_name }).recorded += Number(requests);
    after = upTo;
    await nextTurn();
  }
}

type Place = Pick<Row<'ingress'>, 'at' | 'partition' | 'offset'>;

const compared = (by: '>' | '<=', { at, partition, offset }: Place) =>
  sql<boolean>`(${sql.ref('at')}, ${sql.ref('partition')}, ${sql.ref('offset')}) ${sql.raw(by)} (${at}, ${partition}, ${offset})`;

/** The place a group of rows ends at; undefined for the last group. */
function placeBehind(db: Kysely<LedgerTables>, after: Place, to: number, tenant: string | undefined): Promise<Place | undefined> {
  const query = db
    .selectFrom('ingress')
    .select(['at', 'partition', 'offset'])
    .where(compared('>', after))
    .where('at', '<', to)
    .orderBy('at')
    .orderBy('partition')
    .orderBy('offset')
    .offset(ROWS_AT_ONCE - 1)
    .limit(1);
  return (tenant === undefined ? query : query.where('tenant_ref', '=', tenant)).executeTakeFirst();
}

async function addCounts(db: Kysely<LedgerTables>, { from, to }: CensusRequest, tallies: Tallies): Promise<void> {
  const rows = await db
    .selectFrom('ingress_count')
    .select(['from_at', 'outcome', 'door', 'cause'])
    .select((eb) => eb.fn.sum<number>('count').as('requests'))
    .where('from_at', '>=', from)
    .where('from_at', '<', to)
    .groupBy(['from_at', 'outcome', 'door', 'cause'])
    .execute();
  for (const { from_at, requests, ...dimensions } of rows) tallies.at(from_at, dimensions).counted += Number(requests);
}

/** A host's word that all up to a place is durable is taken here; the check of the census does not. */
async function readMissing(
  db: Kysely<LedgerTables>,
  from: number,
  to: number,
): Promise<{ readonly pending: number; readonly unknown: number }> {
  let [pending, unknown] = [0, 0];
  for (const key of await livesBetween(db, from, to)) {
    const life = await readLife(db, key);
    const { places, highest } = await readToldPlaces(db, key, life.durableSeq);
    const missing = missingAs(life, Math.max(life.lastSeq, highest) - life.durableSeq - places);
    pending += missing.pending;
    unknown += missing.unknown;
  }
  return { pending, unknown };
}
