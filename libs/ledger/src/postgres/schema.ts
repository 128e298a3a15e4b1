import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { createStatements } from '../schema/create.js';
import type { LedgerTables } from '../schema/index.js';

/** Each generation of tables is a schema of its own. */
export const schemaOf = (generation: number): string => `doorledger_ledger_${generation}`;

/** What makes the empty tables of a generation. Text compares byte by byte, as SQLite's does. */
export function tableStatements(): string[] {
  const compiler = new Kysely<LedgerTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return createStatements(compiler, { columns: { text: 'text collate "C"', integer: 'bigint', blob: 'bytea' } });
}
