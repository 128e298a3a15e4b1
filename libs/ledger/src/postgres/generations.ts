import { bringUp } from '@doorledger/postgres';
import type { Pool, PoolClient } from 'pg';
import { LedgerError } from '../errors.js';
import type { BuildingHold, Generations, KnownDigest, OpenGeneration } from '../generations.js';
import { LEDGER_FORMAT } from '../schema/index.js';
import type { LedgerStore } from '../store.js';
import type { PostgresAddress } from './address.js';
import { holdGeneration, holdGenerations, tryHoldBuilding } from './generation-use.js';
import { create, drop, rowsOf, takeIntoUse, type GenerationRow } from './generation-rows.js';
import { ledgerIdOf } from './ledger-id.js';
import { ledgerPart } from './ledger-part.js';
import { endPool, openPostgresPool } from './pool.js';
import { openPostgresLedger, type PostgresLedgerOptions } from './postgres-store.js';
import { reached } from './reached.js';

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The ledger's generations in a database: one schema each, and a row in schema `doorledger` (design §5). Any number of projectors share
 * the live one. One that a switch took out of use is written by nobody from that moment on; readers of other processes may still look at
 * it, so the first opening or switch ten minutes later drops it.
 */
export class PostgresGenerations implements Generations {
  readonly #address: PostgresAddress;
  readonly #pool: Pool;

  private constructor(
    address: PostgresAddress,
    pool: Pool,
    readonly ledgerId: string,
  ) {
    this.#address = address;
    this.#pool = pool;
  }

  /**
   * Makes what is missing of schema `doorledger`.
   * @throws LedgerError `ERR_DATABASE_ADDRESS`, `ERR_DATABASE_AWAY`, `ERR_DATABASE_REFUSED`, `ERR_LEDGER_NEWER`
   */
  static async open(address: PostgresAddress): Promise<PostgresGenerations> {
    const pool = openPostgresPool({ ...address, role: 'generations', max: 2 });
    try {
      const ledgerId = await reached(() =>
        change(pool, async (client) => {
          await bringUp(client, ledgerPart);
          return ledgerIdOf(client);
        }),
      );
      return new PostgresGenerations(address, pool, ledgerId);
    } catch (error) {
      await pool.end();
      throw error;
    }
  }

  get live(): Promise<number | undefined> {
    return reached(() => this.#liveRow()).then((row) => row?.generation);
  }

  async openLive(): Promise<OpenGeneration> {
    const generation = await this.#change(async (client) => {
      const rows = await rowsOf(client);
      const live = rows.find((row) => row.is_live);
      if (live?.format === LEDGER_FORMAT) return live.generation;
      if (live && live.format > LEDGER_FORMAT) throw newer(live);
      const first = (live?.generation ?? Math.max(0, ...rows.map((row) => row.generation))) + 1;
      await drop(client, first);
      await create(client, first);
      await takeIntoUse(client, first);
      return first;
    });
    await this.#dropForgotten();
    return this.#open(generation, 'writer');
  }

  async openLiveReader(): Promise<OpenGeneration> {
    const live = await this.#liveRow();
    if (!live) throw new LedgerError('ERR_LEDGER_MISSING', 'There is no ledger in this database yet: start a projector on it first.');
    if (live.format > LEDGER_FORMAT) throw newer(live);
    if (live.format < LEDGER_FORMAT)
      throw new LedgerError('ERR_LEDGER_OLDER', 'The ledger in this database is of an older release: start a projector of this one first.');
    return this.#open(live.generation, 'reader');
  }

  async openBuilt(generation: number): Promise<LedgerStore> {
    const row = (await rowsOf(this.#pool)).find((r) => r.generation === generation);
    if (!row || row.is_live || row.is_retired || row.format !== LEDGER_FORMAT) throw notBuilt(generation);
    return this.#open(generation, 'writer').store;
  }

  /** A connection of its own has it: it ends with the process. Where the database restarts meanwhile, compare-and-set fences who goes on. */
  async holdBuilding(): Promise<BuildingHold> {
    const pool = openPostgresPool({ ...this.#address, role: 'replay', max: 1 });
    try {
      const client = await reached(() => pool.connect());
      if (!(await reached(() => tryHoldBuilding(client)))) throw building();
      return {
        close: async () => {
          client.release(true);
          await endPool(pool);
        },
      };
    } catch (error) {
      await endPool(pool);
      throw error;
    }
  }

  async openNext(): Promise<OpenGeneration> {
    const next = await this.#change(async (client) => {
      const rows = await rowsOf(client);
      const generation = (rows.find((row) => row.is_live)?.generation ?? 0) + 1;
      const left = rows.find((row) => row.generation === generation);
      if (left && left.format === LEDGER_FORMAT && !left.is_retired) return generation;
      await drop(client, generation);
      await create(client, generation);
      return generation;
    });
    return this.#open(next, 'writer');
  }

  get knownDigest(): Promise<KnownDigest | undefined> {
    return reached(() => this.#pool.query<{ digest: KnownDigest }>('select digest from doorledger.ledger_digest')).then(
      ({ rows }) => rows[0]?.digest,
    );
  }

  async rememberDigest(digest: KnownDigest): Promise<void> {
    await this.#pool.query(
      'insert into doorledger.ledger_digest (digest) values ($1) on conflict (is_last) do update set digest = excluded.digest',
      [JSON.stringify(digest)],
    );
  }

  /** Commits to the generation that was live until now end before, or are stale. */
  async switchTo(generation: number): Promise<void> {
    await this.#change(async (client) => {
      const rows = await rowsOf(client);
      const live = rows.find((row) => row.is_live)?.generation;
      if (!rows.some((row) => row.generation === generation && !row.is_retired)) throw notBuilt(generation);
      if (live === generation) return;
      if (live !== undefined) await holdGeneration(client, live);
      await takeIntoUse(client, generation);
    });
    await this.#dropForgotten();
  }

  async discard(generation: number): Promise<void> {
    await this.#change((client) => drop(client, generation));
  }

  async close(): Promise<void> {
    await endPool(this.#pool);
  }

  #open(generation: number, role: PostgresLedgerOptions['role']): OpenGeneration {
    return { store: openPostgresLedger({ address: this.#address, generation, role }), generation };
  }

  async #liveRow(): Promise<GenerationRow | undefined> {
    return (await rowsOf(this.#pool)).find((row) => row.is_live);
  }

  async #dropForgotten(): Promise<void> {
    for (const { generation, is_forgotten } of await rowsOf(this.#pool))
      if (is_forgotten)
        await this.discard(generation).catch((error: { code?: string }) => {
          if (error.code !== LOCK_NOT_AVAILABLE) throw error;
        });
  }

  #change<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return change(this.#pool, work);
  }
}

/** One transaction, one at a time over all processes. */
async function change<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await holdGenerations(client);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

const newer = ({ format }: GenerationRow) =>
  new LedgerError(
    'ERR_LEDGER_NEWER',
    `The ledger in this database has format ${format} of a newer release; this one reads ${LEDGER_FORMAT}. Use that release.`,
  );

const building = () =>
  new LedgerError('ERR_LEDGER_BUILDING', 'Another replay or verify builds a generation of this ledger: wait for its end.');

const notBuilt = (generation: number) =>
  new LedgerError('ERR_LEDGER_MISSING', `There is no rebuilt generation ${generation} here: run doorledger replay first.`);
