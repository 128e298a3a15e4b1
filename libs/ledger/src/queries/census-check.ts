import { sql, type Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';
import { nextLife, readLife, type Life, type LifeKey } from './census-life.js';
import { readToldPlaces } from './census-places.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';
import { presentTimes } from './present.js';

/** Whether the places of one life of a host add up (E12): recorded + counted + pending + unknown + removed = issued. */
export interface LifeCheck {
  readonly hostId: string;
  readonly bootId: string;
  readonly state: Life['state'];
  /** By log time. */
  readonly startedAt?: string;
  readonly aliveAt?: string;
  /** The larger of what the host said and the highest place on the log (E11). */
  readonly issued: number;
  readonly recorded: number;
  readonly counted: number;
  /** Issued by a host that still runs, and not yet on the log. */
  readonly pending: number;
  /** Never written: the host is gone. */
  readonly unknown: number;
  /** Not on the log any more since retention took records of this life away, any unknown ones among them (X3). */
  readonly removed: number;
  /** Tellings of a place that had been told before: more than 0 is a fault. */
  readonly doubled: number;
  readonly addsUp: boolean;
}

export interface CensusCheck extends Page<LifeCheck> {
  /** Of every life on this page. */
  readonly addsUp: boolean;
}

const byHost: PageOrder<LifeKey> = { columns: ['host_id', 'boot_id'], direction: 'asc' };

/** Checks the lives of all hosts, in the order of host and boot. Read it inside one snapshot. */
export async function readCensusCheck(db: Kysely<LedgerTables>, { limit = DEFAULT_PAGE, cursor }: PageRequest = {}): Promise<CensusCheck> {
  const lives: LifeKey[] = [];
  let rest = cursor === undefined ? sql<boolean>`true` : afterCursor(byHost, cursor);
  for (let life = await nextLife(db, rest); life && lives.push(life) <= limit; life = await nextLife(db, rest))
    rest = sql<boolean>`(host_id, boot_id) > (${life.host_id}, ${life.boot_id})`;
  const checks = new Map<LifeKey, LifeCheck>();
  for (const life of lives.slice(0, limit)) checks.set(life, await checkLife(db, life));
  const page = pageOf(lives, limit, byHost, (life) => checks.get(life)!);
  return { addsUp: page.items.every(({ addsUp }) => addsUp), ...page };
}

async function checkLife(db: Kysely<LedgerTables>, key: LifeKey): Promise<LifeCheck> {
  const life = await readLife(db, key);
  const { recorded, counted, places, highest } = await readToldPlaces(db, key);
  const issued = Math.max(life.lastSeq, highest);
  const missing = missingAs(life, issued - places);
  return {
    hostId: life.host_id,
    bootId: life.boot_id,
    state: life.state,
    ...presentTimes({ startedAt: life.startedAt, aliveAt: life.aliveAt }),
    issued,
    recorded,
    counted,
    ...missing,
    doubled: Math.max(0, recorded + counted - places),
    addsUp: recorded + counted + missing.pending + missing.unknown + missing.removed === issued,
  };
}

/** What the places are that nothing on the log tells of. */
export function missingAs({ state, isCut }: Life, missing: number): { pending: number; unknown: number; removed: number } {
  const none = { pending: 0, unknown: 0, removed: 0 };
  if (isCut) return { ...none, removed: missing };
  return state === 'running' ? { ...none, pending: missing } : { ...none, unknown: missing };
}
