import { topics } from '@doorledger/contracts';
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

/** One life of a host: what gives out places (E11). */
export interface LifeKey {
  readonly host_id: string;
  readonly boot_id: string;
}

/** What the host's own facts say of a life. */
export interface Life extends LifeKey {
  /**
   * `stopped`: it said so. `ended`: the same host has begun another life since, or it has been silent for 30 s of log time. Else
   * `running`: what it has not written may still come.
   */
  readonly state: 'running' | 'ended' | 'stopped';
  /** The last place it said to have issued, and the one up to which it called all durable. */
  readonly lastSeq: number;
  readonly durableSeq: number;
  readonly startedAt: number | null;
  readonly aliveAt: number | null;
  /** Retention may have taken records of it away (X3). */
  readonly isCut: boolean;
}

/** Three signs of life that did not come (spec 9). */
export const SILENT_MS = 30_000;

/** The first life, in the order of host and boot, for which `holds` is true of `host_id` and `boot_id`; places alone tell of one, too. */
export async function nextLife(db: Kysely<LedgerTables>, holds: RawBuilder<SqlBool>): Promise<LifeKey | undefined> {
  const of = (table: RawBuilder<unknown>, isOurs: RawBuilder<SqlBool>) =>
    sql`(select host_id, boot_id from ${table} where ${isOurs} and ${holds} order by host_id, boot_id limit 1)`;
  const { rows } = await sql<LifeKey>`
    select host_id, boot_id from ${of(sql.table('host'), sql`true`)} as a
    union select host_id, boot_id from ${of(sql.table('ingress'), sql`external = 0`)} as b
    union select host_id, boot_id from ${of(sql.table('ingress_count'), sql`true`)} as c
    order by host_id, boot_id limit 1`.execute(db);
  return rows[0];
}

/** Lives that were there at some moment between `from` and `to`, in epoch ms of the log. */
export const livesBetween = (db: Kysely<LedgerTables>, from: number, to: number): Promise<LifeKey[]> =>
  db
    .selectFrom('host')
    .select(['host_id', 'boot_id'])
    .where('alive_at', '>=', from)
    .where((eb) => eb.or([eb('started_at', 'is', null), eb('started_at', '<', to)]))
    .orderBy('host_id')
    .orderBy('boot_id')
    .execute();

export async function readLife(db: Kysely<LedgerTables>, { host_id, boot_id }: LifeKey): Promise<Life> {
  const host = await db.selectFrom('host').selectAll().where('host_id', '=', host_id).where('boot_id', '=', boot_id).executeTakeFirst();
  const startedAt = host?.started_at ?? null;
  const cut = await db
    .selectFrom('retention')
    .select('at')
    .where('topic', '=', topics.ingress.name)
    .where('at', '>=', startedAt ?? 0)
    .limit(1)
    .executeTakeFirst();
  return {
    host_id,
    boot_id,
    state: host === undefined ? 'running' : host.stopped_at !== null ? 'stopped' : await stateOf(db, host),
    lastSeq: host?.last_seq ?? 0,
    durableSeq: host?.durable_seq ?? 0,
    startedAt,
    aliveAt: host?.alive_at ?? null,
    isCut: cut !== undefined,
  };
}

/** By log time alone: no reader's clock decides that a host is gone. */
async function stateOf(db: Kysely<LedgerTables>, { host_id, boot_id, alive_at }: LifeKey & { readonly alive_at: number | null }) {
  const heardAt = alive_at ?? 0;
  const later = await db
    .selectFrom('host')
    .select('boot_id')
    .where('host_id', '=', host_id)
    .where('boot_id', '!=', boot_id)
    .where('started_at', '>', heardAt)
    .limit(1)
    .executeTakeFirst();
  if (later) return 'ended';
  const newest = await db.selectFrom('projection_offset').select('timestamp').orderBy('timestamp', 'desc').limit(1).executeTakeFirst();
  return (newest?.timestamp ?? 0) > heardAt + SILENT_MS ? 'ended' : 'running';
}
