import { tables, type Change, type TableName } from './schema/index.js';
import type { ColumnDefinition, TableDefinition } from './schema/table.js';

type Value = string | number | Uint8Array | null;
export type AnyRow = Record<string, Value | undefined>;

interface Entry {
  row: AnyRow;
  /** Made in this batch: no store has it, so taking it away again needs no statement. */
  readonly fresh: boolean;
}

/** Rows made from positions of one partition before `before` are to go (X3). */
export interface Cut {
  readonly topic: string;
  readonly partition: number;
  readonly before: number;
}

/**
 * What one batch changes, at most one change per row: later changes of a row are merged into it by its columns' rules.
 * The objects given belong to it from then on.
 */
export class RowChanges {
  readonly #merged = new Map<TableName, Map<string, Entry>>();
  readonly #appended = new Map<TableName, AnyRow[]>();
  readonly #removed = new Map<TableName, Map<string, AnyRow>>();
  readonly cuts: Cut[] = [];

  /** A row that may be there already. */
  put<T extends TableName>(table: T, change: Change<T>): void {
    this.#merge(table, change, false);
  }

  /** A row that no store has yet, or one that this batch takes away and makes again. */
  add<T extends TableName>(table: T, change: Change<T>): void {
    this.#merge(table, change, true);
  }

  /** A row named by its record's place: no other change of the batch can mean it. */
  append<T extends TableName>(table: T, change: Change<T>): void {
    let rows = this.#appended.get(table);
    if (!rows) this.#appended.set(table, (rows = []));
    rows.push(storable(change));
  }

  remove<T extends TableName>(table: T, key: Partial<Change<T>>): void {
    const row = storable(key);
    const id = keyOf(tables[table], row);
    const entry = this.#merged.get(table)?.get(id);
    if (entry) this.#merged.get(table)!.delete(id);
    if (!entry?.fresh) mapOf(this.#removed, table).set(id, row);
  }

  cut(cut: Cut): void {
    this.cuts.push(cut);
  }

  /** What a store writes: removals first, then rows, then cuts. */
  *rows(): Iterable<{ readonly table: TableName; readonly rows: readonly AnyRow[] }> {
    for (const [table, entries] of this.#merged) if (entries.size > 0) yield { table, rows: Array.from(entries.values(), (e) => e.row) };
    for (const [table, rows] of this.#appended) yield { table, rows };
  }

  *removals(): Iterable<{ readonly table: TableName; readonly keys: readonly AnyRow[] }> {
    for (const [table, keys] of this.#removed) yield { table, keys: [...keys.values()] };
  }

  #merge(table: TableName, change: object, fresh: boolean): void {
    const entries = mapOf(this.#merged, table);
    const row = storable(change);
    const id = keyOf(tables[table], row);
    const entry = entries.get(id);
    if (entry) mergeRow(tables[table].columns, entry.row, row);
    else entries.set(id, { row, fresh: fresh && !this.#removed.get(table)?.has(id) });
  }
}

function mapOf<V>(maps: Map<TableName, Map<string, V>>, table: TableName): Map<string, V> {
  let map = maps.get(table);
  if (!map) maps.set(table, (map = new Map<string, V>()));
  return map;
}

/** U+0000 is text to SQLite and an error to PostgreSQL: no store ever sees it. */
function storable(change: object): AnyRow {
  const row = change as AnyRow;
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'string' && value.includes('\u0000')) row[column] = value.replaceAll('\u0000', '\uFFFD');
  }
  return row;
}

function keyOf({ key }: TableDefinition, row: AnyRow): string {
  if (key.length === 1) return String(row[key[0]!]);
  let id = '';
  for (const column of key) id += `${String(row[column])}\u0000`;
  return id;
}

/** The same rules that the store's upsert keeps, so that merging here and merging there give one row. */
export function mergeRow(columns: Readonly<Record<string, ColumnDefinition>>, into: AnyRow, change: AnyRow): void {
  // Columns kept with another one first: they ask about it as it was before this change.
  for (const dependent of [true, false])
    for (const column in change) {
      const value = change[column];
      const { keptWith, greatest } = columns[column]!;
      if (value === undefined || (keptWith !== undefined && keptWith !== column) !== dependent) continue;
      if (keptWith !== undefined && (into[keptWith] ?? null) !== null) continue;
      const old = into[column] ?? null;
      if (greatest && old !== null && (value === null || old > value)) continue;
      into[column] = value;
    }
}
