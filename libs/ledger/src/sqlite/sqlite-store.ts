import { openSqliteFile, type SqliteFile } from '@doorledger/event-log';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { createStatements } from '../schema/create.js';
import { LEDGER_FORMAT, type LedgerTables } from '../schema/index.js';
import type { LedgerCommit, LedgerStore } from '../store.js';
import { kyselyOver } from './connection.js';
import { SqliteWriter } from './writer.js';

const file = { kind: 'ledger', format: LEDGER_FORMAT, synchronous: 'NORMAL' } as const;

/** Keys are random: the pages a batch touches are many, and are touched again by the next. */
const WRITER_CACHE_KIB = 64 * 1024;

/**
 * A generation in one SQLite file (K14): one connection writes, another serves short queries, and each snapshot has its own.
 * `synchronous=NORMAL`: a machine that dies may take the last commits with it, rows and places alike; they are folded again.
 * @throws LogRefusedError `ERR_FILE_OLDER` where the file is of an earlier schema: build a new generation.
 */
export function openSqliteLedger(path: string, role: LedgerRole = 'writer'): LedgerStore {
  return new SqliteLedgerStore(path, role);
}

/** `builder`: writes a generation that nobody uses yet, with fewer and larger checkpoints. */
export type LedgerRole = 'writer' | 'builder' | 'reader';

/** A rebuild writes the same pages again and again: the longer the write-ahead file, the fewer of them go to the main file. */
const BUILDER_WAL_BYTES = 256 * 1024 * 1024;

class SqliteLedgerStore implements LedgerStore {
  readonly db: Kysely<LedgerTables>;
  readonly #path: string;
  readonly #role: LedgerRole;
  readonly #file?: SqliteFile;
  readonly #writer?: SqliteWriter;

  constructor(path: string, role: LedgerRole) {
    this.#path = path;
    this.#role = role;
    if (role !== 'reader') {
      this.#file = openSqliteFile(path, {
        ...file,
        role: 'writer',
        create: (db) => statements().forEach((statement) => db.exec(statement)),
      });
      this.#file.db.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
      this.#writer = new SqliteWriter(this.#file.db);
    }
    this.db = kyselyOver(openSqliteFile(path, { ...file, role: 'reader' }));
  }

  /** Synchronous inside: the event loop waits for the batch, so batches are bounded by the projector. */
  async commit({ advances, changes }: LedgerCommit): Promise<'committed' | 'stale'> {
    if (!this.#file || !this.#writer) throw new Error('This ledger was opened for reading.');
    const writer = this.#writer;
    try {
      this.#file.transact(() => {
        for (const advance of advances) if (!writer.advance(advance)) throw new StaleError();
        writer.write(changes);
      });
      if (this.#role === 'writer' || this.#file.walBytes() > BUILDER_WAL_BYTES) this.#file.checkpointIfDue();
      return 'committed';
    } catch (error) {
      if (error instanceof StaleError) return 'stale';
      throw error;
    }
  }

  async snapshot<T>(read: (db: Kysely<LedgerTables>) => Promise<T>): Promise<T> {
    const db = kyselyOver(openSqliteFile(this.#path, { ...file, role: 'reader' }));
    try {
      // One transaction over the connection from its first query on: SQLite shows it one moment.
      return await db.connection().execute(async (connection) => {
        await sql`begin`.execute(connection);
        try {
          return await read(connection);
        } finally {
          await sql`commit`.execute(connection);
        }
      });
    } finally {
      await db.destroy();
    }
  }

  async close(): Promise<void> {
    await this.db.destroy();
    this.#file?.close();
  }
}

/** Takes the transaction back. */
class StaleError extends Error {}

function statements(): string[] {
  const compiler = new Kysely<LedgerTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return createStatements(compiler, {
    columns: { text: 'text', integer: 'integer', blob: 'blob' },
    // Rows lie beside their key: one tree less to write.
    tableEnd: sql`without rowid`,
  });
}
