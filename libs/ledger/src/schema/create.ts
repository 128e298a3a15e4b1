import { sql, type CreateTableBuilder, type Kysely } from 'kysely';
import { tables, type LedgerTables } from './index.js';
import type { ColumnDefinition, TableDefinition } from './table.js';

/** How an engine spells the three column types. Text must compare byte by byte: the digest reads rows in key order. */
export interface EngineTypes {
  readonly columns: Readonly<Record<ColumnDefinition['type'], string>>;
}

/** The statements that make every table and index of an empty generation. */
export function createStatements(db: Kysely<LedgerTables>, engine: EngineTypes): string[] {
  return Object.entries<TableDefinition>(tables).flatMap(([name, table]) => [
    createTable(db, engine, name, table),
    ...(table.indexes ?? []).map((columns) => createIndex(db, name, columns)),
    ...(table.sparseIndexes ?? []).map(({ columns, where }) => createIndex(db, name, columns, where)),
  ]);
}

function createTable(db: Kysely<LedgerTables>, engine: EngineTypes, name: string, table: TableDefinition): string {
  let create: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, { type, required }] of Object.entries(table.columns))
    create = create.addColumn(column, sql.raw(engine.columns[type]), (c) => (required ? c.notNull() : c));
  return create.addPrimaryKeyConstraint(`${name}_key`, [...table.key]).compile().sql;
}

function createIndex(db: Kysely<LedgerTables>, table: string, columns: readonly string[], where?: string): string {
  const create = db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns([...columns]);
  return (where === undefined ? create : create.where(sql.ref(where), 'is not', null)).compile().sql;
}
