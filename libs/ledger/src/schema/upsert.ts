import { tables, type TableName } from './index.js';
import type { ColumnDefinition, TableDefinition } from './table.js';

const quoted = (name: string): string => `"${name}"`;

/**
 * The end of an insert that makes it an upsert by the table's column rules: the same text on SQLite and PostgreSQL.
 * `columns` are the ones the insert gives; the others stay as they are.
 */
export function onConflict(table: TableName, columns: readonly string[]): string {
  const { key, columns: definitions }: TableDefinition = tables[table];
  const sets = columns.filter((c) => !key.includes(c)).map((c) => `${quoted(c)} = ${newValue(table, c, definitions[c]!)}`);
  return `on conflict (${key.map(quoted).join(', ')}) do ${sets.length === 0 ? 'nothing' : `update set ${sets.join(', ')}`}`;
}

function newValue(table: string, column: string, { keptWith, greatest }: ColumnDefinition): string {
  const [old, given] = [`${quoted(table)}.${quoted(column)}`, `excluded.${quoted(column)}`];
  if (keptWith !== undefined) return `case when ${quoted(table)}.${quoted(keptWith)} is null then ${given} else ${old} end`;
  if (greatest) return `case when ${old} is null or ${given} > ${old} then ${given} else ${old} end`;
  return given;
}

export const insertInto = (table: TableName, columns: readonly string[]): string =>
  `insert into ${quoted(table)} (${columns.map(quoted).join(', ')})`;
