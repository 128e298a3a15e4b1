import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';
import type { LifeKey } from './census-life.js';

/** What the log tells of the places of one life, past a given one. */
export interface ToldPlaces {
  /** Records. */
  readonly recorded: number;
  /** What exact counts say they stand for. */
  readonly counted: number;
  /** Different places that a record or a count names: each once, however often it is told. */
  readonly places: number;
  /** The highest of them; 0 for none. */
  readonly highest: number;
}

/** Places that are neighbours, both ends included. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** A query is short: between two of them the event loop gets its turn. */
const RECORDS_AT_ONCE = 10_000;
const COUNTS_AT_ONCE = 50;
const RANGES_AT_ONCE = 1000;

/** Reads every place of a life that is past `after` (E12). Exact also where places are told twice. */
export async function readToldPlaces(db: Kysely<LedgerTables>, life: LifeKey, after = 0): Promise<ToldPlaces> {
  const records = await readRecords(db, life, after);
  const counts = await readCounts(db, life, after);
  const inBoth = await countRecordedIn(db, life, counts.ranges);
  return {
    recorded: records.records,
    counted: counts.counted,
    places: records.places + counts.ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0) - inBoth,
    highest: Math.max(records.highest, counts.ranges.at(-1)?.last ?? 0),
  };
}

const ofLife = ({ host_id, boot_id }: LifeKey) => sql`host_id = ${host_id} and boot_id = ${boot_id} and external = 0`;

async function readRecords(db: Kysely<LedgerTables>, life: LifeKey, after: number) {
  let [records, places, highest] = [0, 0, 0];
  for (let from = after; ;) {
    const { rows } = await sql<{ records: number | null; places: number; highest: number | null }>`
      select sum(n) as records, count(*) as places, max(seq) as highest from (
        select seq, count(*) as n from ingress where ${ofLife(life)} and seq > ${from}
        group by seq order by seq limit ${sql.lit(RECORDS_AT_ONCE)}) as p`.execute(db);
    const page = rows[0]!;
    const read = Number(page.places);
    if (read === 0) return { records, places, highest };
    records += Number(page.records);
    places += read;
    from = highest = Number(page.highest);
    await nextTurn();
  }
}

async function readCounts(db: Kysely<LedgerTables>, { host_id, boot_id }: LifeKey, after: number) {
  const ranges: Range[] = [];
  let counted = 0;
  for (let cursor = ''; ;) {
    const rows = await db
      .selectFrom('ingress_count')
      .select(['event_id', 'count', 'seqs'])
      .where('host_id', '=', host_id)
      .where('boot_id', '=', boot_id)
      .where('event_id', '>', cursor)
      .orderBy('event_id')
      .limit(COUNTS_AT_ONCE)
      .execute();
    if (rows.length === 0) return { counted, ranges: joined(ranges) };
    for (const { count, seqs } of rows) {
      counted += count;
      for (const { first, last } of rangesOf(seqs)) {
        if (last <= after) counted -= last - first + 1;
        else {
          counted -= Math.max(0, after - first + 1);
          ranges.push({ first: Math.max(first, after + 1), last });
        }
      }
    }
    cursor = rows[rows.length - 1]!.event_id;
    await nextTurn();
  }
}

/** Each range begins as far behind the last place of the one before as it says; the first one behind 0 (E11). */
function rangesOf(seqs: string): Range[] {
  let last = 0;
  return (JSON.parse(seqs) as [number, number][]).map(([distance, length]) => {
    const first = last + distance;
    last = first + length - 1;
    return { first, last };
  });
}

/** The same places as ranges of which no two touch, in order. */
function joined(ranges: Range[]): Range[] {
  ranges.sort((a, b) => a.first - b.first);
  const whole: Range[] = [];
  for (const { first, last } of ranges) {
    const before = whole[whole.length - 1];
    if (before && first <= before.last + 1) whole[whole.length - 1] = { first: before.first, last: Math.max(before.last, last) };
    else whole.push({ first, last });
  }
  return whole;
}

/** How many places of the ranges have a record, too: one look into the index for each range. */
async function countRecordedIn(db: Kysely<LedgerTables>, life: LifeKey, ranges: readonly Range[]): Promise<number> {
  let places = 0;
  for (let at = 0; at < ranges.length; at += RANGES_AT_ONCE) {
    const some = ranges.slice(at, at + RANGES_AT_ONCE).map(({ first, last }) => `(${first}, ${last})`);
    const { rows } = await sql<{ places: number }>`
      select sum((select count(distinct seq) from ingress where ${ofLife(life)} and seq >= r.column1 and seq <= r.column2)) as places
      from (values ${sql.raw(some.join(', '))}) as r`.execute(db);
    places += Number(rows[0]!.places);
    await nextTurn();
  }
  return places;
}
