import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Pool, type PoolConfig } from 'pg';
import { destinationOf, type PostgresAddress } from './address.js';

export interface PoolOptions extends PostgresAddress {
  /** What `pg_stat_activity` shows: `doorledger <role>`. */
  readonly role: string;
  /** Most connections (4): a process keeps few, so that many fit on one server. */
  readonly max?: number;
  /** Session settings, by name. Unless they say otherwise, a commit that was answered outlives a crash, whatever the server's default is. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Statements are sent without waiting for the answer to the one before. */
  readonly pipeline?: boolean;
}

/** All in ms. A statement ends by itself before its caller gives the connection up. */
const CONNECT_MS = 5000;
const STATEMENT_MS = 30_000;
const ANSWER_MS = 35_000;
const GOODBYE_MS = 500;

const INT8 = 20;

/**
 * Connections to the database. A lost one is replaced when it is next needed, so a pool outlives every restart of the server.
 * 64-bit integers are read as numbers: offsets and epoch ms stay below 2^53.
 */
export function openPostgresPool({ role, max = 4, settings = {}, pipeline = false, ...address }: PoolOptions): Pool {
  const config: PoolConfig & { readonly pipeline: boolean } = {
    ...destinationOf(address),
    max,
    pipeline,
    application_name: `doorledger ${role}`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    options: Object.entries({ synchronous_commit: 'on', ...settings })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: { getTypeParser: (oid: number) => (oid === INT8 ? Number : (pg.types.getTypeParser(oid) as (text: string) => unknown)) },
  };
  const pool = new pg.Pool(config);
  // A connection that breaks rejects its queries; the event says it once more, and without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A server that does not take the goodbye is left without it. */
export async function endPool(pool: Pool): Promise<void> {
  const late = new AbortController();
  await Promise.race([pool.end().finally(() => late.abort()), sleep(GOODBYE_MS, undefined, { signal: late.signal }).catch(() => {})]);
}
