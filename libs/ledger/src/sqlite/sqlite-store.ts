import { openSqliteFile, type SqliteFile } from '@doorledger/event-log';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { createStatements } from '../schema/create.js';
import { LEDGER_FORMAT, type LedgerTables } from '../schema/index.js';
import type { LedgerCommit, LedgerStore } from '../store.js';
import { kyselyOver } from './connection.js';
import { WriterThread } from './writer-thread.js';

const file = { kind: 'ledger', format: LEDGER_FORMAT, synchronous: 'NORMAL' } as const;

/** Keys are random: the pages a batch touches are many, and are touched again by the next. Beside a host that serves, its memory counts more. */
const CACHE_KIB = { builder: 64 * 1024, live: 16 * 1024 };

/**
 * A generation in one SQLite file (K14): a thread of its own writes, one connection serves short queries, and each snapshot has
 * its own.
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
  /** Held open beside the thread's own connection: the last one to close takes the write-ahead file away. */
  readonly #file?: SqliteFile;
  #writer?: WriterThread;
  #isClosed = false;

  constructor(path: string, role: LedgerRole) {
    this.#path = path;
    this.#role = role;
    if (role !== 'reader')
      this.#file = openSqliteFile(path, {
        ...file,
        role: 'writer',
        create: (db) => statements().forEach((statement) => db.exec(statement)),
      });
    this.db = kyselyOver(openSqliteFile(path, { ...file, role: 'reader' }));
  }

  /** A thread that died is replaced: the commit it had may be there. */
  async commit(commit: LedgerCommit): Promise<'committed' | 'stale'> {
    if (this.#role === 'reader' || this.#isClosed) throw new Error('This ledger is not open for writing.');
    return (this.#writer ??= this.#startWriter()).commit(commit);
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
    this.#isClosed = true;
    await this.#writer?.close();
    await this.db.destroy();
    this.#file?.close();
  }

  #startWriter(): WriterThread {
    const isBuilder = this.#role === 'builder';
    const walBytes = isBuilder ? BUILDER_WAL_BYTES : 0;
    const cacheKib = isBuilder ? CACHE_KIB.builder : CACHE_KIB.live;
    const writer = new WriterThread({ path: this.#path, cacheKib, walBytes });
    void writer.ended.then(() => {
      if (this.#writer === writer) this.#writer = undefined;
    });
    return writer;
  }
}

function statements(): string[] {
  const compiler = new Kysely<LedgerTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  // With row ids: rows lie in the order they came, so a batch writes few pages of a table, whatever its keys.
  return createStatements(compiler, { columns: { text: 'text', integer: 'integer', blob: 'blob' } });
}
