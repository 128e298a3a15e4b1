import { toUSVString } from 'node:util';
import type { FactEvent } from '@doorledger/contracts';
import { tables, type Change, type TableName } from './schema/index.js';
import type { ColumnDefinition, TableDefinition } from './schema/table.js';

type Value = string | number | Uint8Array | null;
export type AnyRow = Record<string, Value | undefined>;

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
  readonly #merged = new Map<TableName, Map<string, AnyRow>>();
  /** Rows made in this batch: no store has them, so taking one away again needs no statement. */
  readonly #fresh = new Set<AnyRow>();
  readonly #appended = new Map<TableName, AnyRow[]>();
  readonly #removed = new Map<TableName, Map<string, AnyRow>>();
  readonly cuts: Cut[] = [];
  /** What a public feed is told of the batch (V5). No part of the rows: a replay leaves it. */
  readonly news: FactEvent[] = [];

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
    const entries = this.#merged.get(table);
    const entry = entries?.get(id);
    if (entry) entries!.delete(id);
    if (!entry || !this.#fresh.delete(entry)) mapOf(this.#removed, table).set(id, row);
  }

  cut(cut: Cut): void {
    this.cuts.push(cut);
  }

  tell(event: FactEvent): void {
    this.news.push(event);
  }

  /** The merged changes of one table so far. */
  changed(table: TableName): Iterable<Readonly<AnyRow>> {
    return this.#merged.get(table)?.values() ?? [];
  }

  /** What a store writes: removals first, then rows, then cuts. */
  *rows(): Iterable<{ readonly table: TableName; readonly rows: readonly AnyRow[] }> {
    for (const [table, entries] of this.#merged) if (entries.size > 0) yield { table, rows: [...entries.values()] };
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
    if (entry) return mergeRow(tables[table], entry, row);
    entries.set(id, row);
    if (fresh && !this.#removed.get(table)?.has(id)) this.#fresh.add(row);
  }
}

function mapOf<V>(maps: Map<TableName, Map<string, V>>, table: TableName): Map<string, V> {
  let map = maps.get(table);
  if (!map) maps.set(table, (map = new Map<string, V>()));
  return map;
}

/** Of ECMAScript 2024: asks in a third of the time that making the well-formed text takes. */
const isWellFormed = (text: string): boolean => (text as unknown as { isWellFormed(): boolean }).isWellFormed();

/** U+0000 and half surrogate pairs are text to SQLite and not to PostgreSQL: no store ever sees them. */
function storable(change: object): AnyRow {
  const row = change as AnyRow;
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'string' && (value.includes('\u0000') || !isWellFormed(value)))
      row[column] = toUSVString(value).replaceAll('\u0000', '\uFFFD');
  }
  return row;
}

function keyOf({ key }: TableDefinition, row: AnyRow): string {
  if (key.length === 1) return String(row[key[0]!]);
  let id = '';
  for (const column of key) id += `${String(row[column])}\u0000`;
  return id;
}

/** Columns kept with another one, per table: merged first, because they ask about it as it was before the change. */
const dependents = new Map<TableDefinition, readonly string[]>(
  Object.values<TableDefinition>(tables).map((table) => [table, Object.keys(table.columns).filter((c) => isDependent(table, c))]),
);

function isDependent({ columns }: TableDefinition, column: string): boolean {
  const { keptWith } = columns[column]!;
  return keptWith !== undefined && keptWith !== column;
}

/** The same rules that the store's upsert keeps, so that merging here and merging there give one row. */
function mergeRow(table: TableDefinition, into: AnyRow, change: AnyRow): void {
  for (const column of dependents.get(table)!) mergeColumn(table.columns[column]!, column, into, change[column]);
  for (const column in change) {
    const definition = table.columns[column]!;
    if (definition.keptWith === undefined || definition.keptWith === column) mergeColumn(definition, column, into, change[column]);
  }
}

function mergeColumn({ keptWith, greatest }: ColumnDefinition, column: string, into: AnyRow, value: AnyRow[string]): void {
  if (value === undefined) return;
  if (keptWith !== undefined && (into[keptWith] ?? null) !== null) return;
  const old = into[column] ?? null;
  if (greatest && old !== null && (value === null || old > value)) return;
  into[column] = value;
}
