import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { LedgerTables } from '../schema/index.js';
import type { Advance, LedgerCommit, LedgerStore } from '../store.js';
import type { PostgresAddress } from './address.js';
import { advance } from './advance.js';
import { kyselyOver } from './connection.js';
import { openPostgresPool } from './pool.js';
import { schemaOf } from './schema.js';
import { isGenerationInUse } from './generation-use.js';
import { PostgresWriter } from './writer.js';

/**
 * `builder`: writes a generation that nobody uses yet, and does not wait for the server's disk at each commit. A server that crashes takes
 * its last commits back; the rebuild then stops, and goes on when it is started again.
 */
export type PostgresRole = 'writer' | 'builder' | 'reader';

export interface PostgresLedgerOptions {
  readonly address: PostgresAddress;
  readonly generation: number;
  /** `writer` */
  readonly role?: PostgresRole;
}

/** A frozen writer gives its locks back by then, so that another projector can go on. */
const IDLE_IN_COMMIT_MS = 30_000;

/**
 * A generation in one schema of a PostgreSQL database: one connection commits, others read. What a commit wrote outlives a crash of the
 * server, as far as the server's own settings say so. Opens no connection before it needs one.
 */
export function openPostgresLedger(options: PostgresLedgerOptions): LedgerStore {
  return new PostgresLedgerStore(options);
}

class PostgresLedgerStore implements LedgerStore {
  readonly db: Kysely<LedgerTables>;
  readonly #generation: number;
  readonly #writing?: Pool;
  readonly #writer = new PostgresWriter();
  /** Whether the last commit may have happened although it was not answered. */
  #isUnsure = false;

  constructor({ address, generation, role = 'writer' }: PostgresLedgerOptions) {
    this.#generation = generation;
    const settings = { search_path: schemaOf(generation) };
    this.db = kyselyOver(openPostgresPool({ ...address, role: 'reader', settings: { ...settings, default_transaction_read_only: 'on' } }));
    if (role !== 'reader')
      this.#writing = openPostgresPool({
        ...address,
        role: 'projector',
        max: 1,
        pipeline: true,
        settings: {
          ...settings,
          idle_in_transaction_session_timeout: `${IDLE_IN_COMMIT_MS}`,
          ...(role === 'builder' && { synchronous_commit: 'off' }),
        },
      });
  }

  async commit({ advances, changes }: LedgerCommit): Promise<'committed' | 'stale'> {
    if (!this.#writing) throw new Error('This ledger was opened for reading.');
    const client = await this.#writing.connect();
    try {
      const [, isInUse, isMoved] = await Promise.all([
        client.query('begin'),
        isGenerationInUse(client, this.#generation),
        advance(client, advances),
        ...this.#writer.write(client, changes),
      ]);
      const isStale = !isInUse || !isMoved;
      const wasUnsure = this.#isUnsure;
      this.#isUnsure = !isStale;
      await client.query(isStale ? 'rollback' : 'commit');
      this.#isUnsure = false;
      client.release();
      // A commit that nobody answered can end after the projector looked for it and began it anew.
      return isStale && !(wasUnsure && (await this.#isAt(advances))) ? 'stale' : 'committed';
    } catch (error) {
      // The server takes an open transaction back when its connection ends.
      client.release(true);
      throw error;
    }
  }

  snapshot<T>(read: (db: Kysely<LedgerTables>) => Promise<T>): Promise<T> {
    return this.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
  }

  async close(): Promise<void> {
    await Promise.all([this.db.destroy(), this.#writing?.end()]);
  }

  async #isAt(advances: readonly Advance[]): Promise<boolean> {
    const rows = await this.db.selectFrom('projection_offset').select(['topic', 'partition', 'next']).execute();
    const next = new Map(rows.map((row) => [`${row.topic}:${row.partition}`, row.next]));
    return advances.every(({ topic, partition, to }) => next.get(`${topic}:${partition}`) === to.next);
  }
}
