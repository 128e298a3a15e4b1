import type { SqliteFile } from '@doorledger/event-log';
import type { Cut, RowChanges } from '../row-changes.js';
import type { AnyRow } from '../row-changes.js';
import { tablesToCut } from '../schema/cuts.js';
import { tables, type TableName } from '../schema/index.js';
import type { TableDefinition } from '../schema/table.js';
import { insertInto, onConflict } from '../schema/upsert.js';
import type { Advance } from '../store.js';

type Statement = ReturnType<SqliteFile['db']['prepare']>;
type Value = NonNullable<AnyRow[string]> | null;

/** Rows of one statement, largest first: few statements, each prepared once per table, set of columns and size. */
const ROWS_PER_STATEMENT = [32, 8, 1] as const;

/** Writes changes over one connection with statements prepared once. Call inside a transaction. */
export class SqliteWriter {
  readonly #db: SqliteFile['db'];
  readonly #statements = new Map<string, Statement>();

  constructor(db: SqliteFile['db']) {
    this.#db = db;
  }

  /** Compare-and-set of one partition's place: false when it is not where the projector believes. */
  advance({ topic, partition, from, to }: Advance): boolean {
    const { next, epoch, timestamp, T } = to;
    const result =
      from === 0
        ? this.#run(
            'insert into projection_offset (next, epoch, timestamp, fold_time, topic, partition) values (?, ?, ?, ?, ?, ?) on conflict do nothing',
            [next, epoch, timestamp, T, topic, partition],
          )
        : this.#run(
            'update projection_offset set next = ?, epoch = ?, timestamp = ?, fold_time = ? where topic = ? and partition = ? and next = ?',
            [next, epoch, timestamp, T, topic, partition, from],
          );
    return result.changes === 1;
  }

  write(changes: RowChanges): void {
    for (const { table, keys } of changes.removals()) this.#remove(table, keys);
    for (const { table, rows } of changes.rows()) this.#upsert(table, rows);
    for (const cut of changes.cuts) this.#cut(cut);
  }

  #remove(table: TableName, keys: readonly AnyRow[]): void {
    const { key }: TableDefinition = tables[table];
    const sql = `delete from "${table}" where ${key.map((c) => `"${c}" = ?`).join(' and ')}`;
    for (const row of keys)
      this.#run(
        sql,
        key.map((c) => row[c] as Value),
      );
  }

  #upsert(table: TableName, rows: readonly AnyRow[]): void {
    const columns = Object.keys(tables[table].columns);
    for (const [mask, alike] of byColumnsGiven(columns, rows)) {
      const given = columns.filter((_, i) => mask & (1 << i));
      let at = 0;
      for (const size of ROWS_PER_STATEMENT)
        for (; alike.length - at >= size; at += size) {
          const statement = this.#upsertStatement(table, mask, given, size);
          const values = new Array<Value>(size * given.length);
          let filled = 0;
          for (let i = at; i < at + size; i++) for (const column of given) values[filled++] = alike[i]![column] as Value;
          statement.run(values);
        }
    }
  }

  #upsertStatement(table: TableName, mask: number, given: readonly string[], size: number): Statement {
    const name = `${table} ${mask} ${size}`;
    let statement = this.#statements.get(name);
    if (!statement) {
      const row = `(${given.map(() => '?').join(', ')})`;
      const sql = `${insertInto(table, given)} values ${Array<string>(size).fill(row).join(', ')} ${onConflict(table, given)}`;
      this.#statements.set(name, (statement = this.#db.prepare(sql)));
    }
    return statement;
  }

  #cut({ topic, partition, before }: Cut): void {
    for (const table of tablesToCut[topic] ?? [])
      this.#run(`delete from "${table}" where partition = ? and "offset" < ?`, [partition, before]);
    this.#run('delete from quarantine where topic = ? and partition = ? and "offset" < ?', [topic, partition, before]);
  }

  #run(sql: string, values: readonly Value[]) {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement.run(values);
  }
}

/** Rows that give the same columns share a statement. The bits of a mask are the table's columns in order. */
function byColumnsGiven(columns: readonly string[], rows: readonly AnyRow[]): Map<number, AnyRow[]> {
  const alike = new Map<number, AnyRow[]>();
  for (const row of rows) {
    let mask = 0;
    for (let i = 0; i < columns.length; i++) if (row[columns[i]!] !== undefined) mask |= 1 << i;
    const group = alike.get(mask);
    if (group) group.push(row);
    else alike.set(mask, [row]);
  }
  return alike;
}
