import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { AnyRow, Cut, RowChanges } from '../row-changes.js';
import { tablesToCut } from '../schema/cuts.js';
import { tables, type TableName } from '../schema/index.js';
import type { ColumnDefinition, TableDefinition } from '../schema/table.js';
import { insertInto, onConflict } from '../schema/upsert.js';
import { binaryArray, unnest, type ElementType } from './binary-array.js';

/**
 * Sends the statements of one commit, each prepared once per connection by its name. Nothing here waits: the answers come in the order
 * of the statements, and after one that fails the server does nothing more in that transaction.
 */
export class PostgresWriter {
  readonly #statements = new Map<string, { readonly name: string; readonly text: string }>();

  /** Removals first, then rows, then cuts. */
  write(client: PoolClient, changes: RowChanges): Promise<QueryResult>[] {
    const answers: Promise<QueryResult>[] = [];
    for (const { table, keys } of changes.removals()) answers.push(client.query(this.#removal(table, keys)));
    for (const { table, rows } of changes.rows()) for (const upsert of this.#upserts(table, rows)) answers.push(client.query(upsert));
    for (const cut of changes.cuts) for (const statement of cutsOf(cut)) answers.push(client.query(statement));
    return answers;
  }

  #removal(table: TableName, keys: readonly AnyRow[]): QueryConfig {
    const { key, columns }: TableDefinition = tables[table];
    const statement = this.#statement(`remove ${table}`, () => {
      const gone = key.map((c) => `"${c}"`).join(', ');
      return `delete from "${table}" where (${gone}) in (select * from ${unnest(typesOf(columns, key))})`;
    });
    return { ...statement, values: arraysOf(columns, key, keys) };
  }

  /** Rows that give the same columns share a statement. The bits of a mask are the table's columns in order. */
  *#upserts(table: TableName, rows: readonly AnyRow[]): Iterable<QueryConfig> {
    const { columns }: TableDefinition = tables[table];
    const names = Object.keys(columns);
    const alike = new Map<number, AnyRow[]>();
    for (const row of rows) {
      let mask = 0;
      for (let i = 0; i < names.length; i++) if (row[names[i]!] !== undefined) mask |= 1 << i;
      const group = alike.get(mask);
      if (group) group.push(row);
      else alike.set(mask, [row]);
    }
    for (const [mask, group] of alike) {
      const given = names.filter((_, i) => mask & (1 << i));
      const statement = this.#statement(
        `put ${table} ${mask}`,
        () =>
          `${insertInto(table, given)} select * from ${unnest(typesOf(columns, given))} as n (${given.map(quoted).join(', ')}) ` +
          `${notTakenAway(table)}${onConflict(table, given)}`,
      );
      yield { ...statement, values: arraysOf(columns, given, group) };
    }
  }

  #statement(name: string, text: () => string): { readonly name: string; readonly text: string } {
    let statement = this.#statements.get(name);
    if (!statement) this.#statements.set(name, (statement = { name, text: text() }));
    return statement;
  }
}

type Columns = Readonly<Record<string, ColumnDefinition>>;

const typesOf = (columns: Columns, names: readonly string[]): ElementType[] => names.map((name) => columns[name]!.type);

const quoted = (column: string): string => `"${column}"`;

/** Tables whose rows retention takes away, and the topic these are made from. */
const cuttable: ReadonlyMap<TableName, string> = new Map(
  Object.entries(tablesToCut).flatMap(([topic, some]) => some.map((table) => [table, topic] as const)),
);

/** Another projector may have taken records away (X3) that this one folded before it knew: no row is made of them. */
function notTakenAway(table: TableName): string {
  const topic = table === 'quarantine' ? 'n.topic' : `'${cuttable.get(table)}'`;
  if (table !== 'quarantine' && !cuttable.has(table)) return '';
  return `where not exists (select from retention r where r.topic = ${topic} and r.partition = n.partition and n."offset" < r.before) `;
}

const arraysOf = (columns: Columns, names: readonly string[], rows: readonly AnyRow[]): Buffer[] =>
  names.map((name) =>
    binaryArray(
      columns[name]!.type,
      rows.map((row) => row[name]),
    ),
  );

function cutsOf({ topic, partition, before }: Cut): QueryConfig[] {
  return [
    ...(tablesToCut[topic] ?? []).map((table) => ({
      text: `delete from "${table}" where partition = $1 and "offset" < $2`,
      values: [partition, before],
    })),
    { text: 'delete from quarantine where topic = $1 and partition = $2 and "offset" < $3', values: [topic, partition, before] },
  ];
}
