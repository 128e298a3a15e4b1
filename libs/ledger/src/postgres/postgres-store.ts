import type { Kysely } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { LedgerTables } from '../schema/index.js';
import type { Advance, LedgerCommit, LedgerStore } from '../store.js';
import type { PostgresAddress } from './address.js';
import { advance } from './advance.js';
import { kyselyOver } from './connection.js';
import { endPool, openPostgresPool } from './pool.js';
import { schemaOf } from './schema.js';
import { isGenerationInUse } from './generation-use.js';
import { PostgresWriter } from './writer.js';

export interface PostgresLedgerOptions {
  readonly address: PostgresAddress;
  readonly generation: number;
  /** `writer` */
  readonly role?: 'writer' | 'reader';
}

/** A frozen writer gives its locks back by then: as soon as it is missed in its group, and another projector has its partitions. */
const IDLE_IN_COMMIT_MS = 6000;

/**
 * A generation in one schema of a PostgreSQL database: one connection commits, others read. What a commit wrote outlives a crash of the
 * server. Opens no connection before it needs one.
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
        settings: { ...settings, idle_in_transaction_session_timeout: `${IDLE_IN_COMMIT_MS}` },
      });
  }

  async commit(commit: LedgerCommit): Promise<'committed' | 'stale'> {
    if (!this.#writing) throw new Error('This ledger was opened for reading.');
    const wasUnsure = this.#isUnsure;
    const client = await this.#writing.connect();
    try {
      const outcome = await this.#transact(client, commit);
      client.release();
      if (outcome === 'committed' || !wasUnsure) return outcome;
    } catch (error) {
      // The server takes an open transaction back when its connection ends.
      client.release(true);
      throw error;
    }
    // A commit that nobody answered can end after the projector looked for it and began it anew.
    return (await this.#isAt(commit.advances)) ? 'committed' : 'stale';
  }

  snapshot<T>(read: (db: Kysely<LedgerTables>) => Promise<T>): Promise<T> {
    return this.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
  }

  async close(): Promise<void> {
    await Promise.all([this.db.destroy(), this.#writing && endPool(this.#writing)]);
  }

  /** All but the end is sent without waiting in between. */
  async #transact(client: PoolClient, { advances, changes }: LedgerCommit): Promise<'committed' | 'stale'> {
    const [, isInUse, isMoved] = await Promise.all([
      // What waited for a lock has to see what the lock's holder wrote.
      client.query('begin isolation level read committed'),
      // What a cut takes away, no commit beside it may write.
      isGenerationInUse(client, this.#generation, changes.cuts.length > 0),
      advance(client, advances),
      ...this.#writer.write(client, changes),
    ]);
    const isStale = !isInUse || !isMoved;
    this.#isUnsure = !isStale;
    await client.query(isStale ? 'rollback' : 'commit');
    this.#isUnsure = false;
    return isStale ? 'stale' : 'committed';
  }

  async #isAt(advances: readonly Advance[]): Promise<boolean> {
    const rows = await this.db.selectFrom('projection_offset').select(['topic', 'partition', 'next']).execute();
    const next = new Map(rows.map((row) => [`${row.topic}:${row.partition}`, row.next]));
    return advances.every(({ topic, partition, to }) => next.get(`${topic}:${partition}`) === to.next);
  }
}
