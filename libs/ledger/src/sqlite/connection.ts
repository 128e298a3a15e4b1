import type { SqliteFile } from '@doorledger/event-log';
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { LedgerTables } from '../schema/index.js';

/** Kysely prepares each statement anew; these are prepared once. Bounded, because lists of keys have many lengths. */
const MAX_STATEMENTS = 200;

/** Kysely over one connection of a ledger file. Destroying it closes the connection. */
export function kyselyOver(file: SqliteFile): Kysely<LedgerTables> {
  const statements = new LRUCache<string, SqliteStatement>({ max: MAX_STATEMENTS });
  const database: SqliteDatabase = {
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) statements.set(sql, (statement = file.db.prepare(sql) as unknown as SqliteStatement));
      return statement;
    },
    close: () => file.close(),
  };
  return new Kysely({ dialect: new SqliteDialect({ database }) });
}
