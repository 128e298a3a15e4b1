import type { AnyRow, Cut, RowChanges } from '../row-changes.js';
import { tablesToCut } from '../schema/cuts.js';
import { tables, type TableName } from '../schema/index.js';
import type { TableDefinition } from '../schema/table.js';
import { insertInto, onConflict } from '../schema/upsert.js';
import type { RowWrite, Value } from './writer-protocol.js';

type Shape = Pick<RowWrite, 'head' | 'row' | 'tail' | 'width'>;

interface TableShapes {
  readonly columns: readonly string[];
  readonly removal: Shape;
  /** By the columns that a change gives: the bits of a mask are the table's columns in order. */
  readonly upserts: Map<number, Shape & { readonly given: readonly string[] }>;
}

const shapes = new Map<TableName, TableShapes>();

/** Changes as lists of plain values, which a thread can be given: removals first, then rows, then cuts. */
export function rowWrites(changes: RowChanges): RowWrite[] {
  const writes: RowWrite[] = [];
  for (const { table, keys } of changes.removals()) writes.push(removals(table, keys));
  for (const { table, rows } of changes.rows()) pushUpserts(writes, table, rows);
  for (const cut of changes.cuts) pushCut(writes, cut);
  return writes;
}

function removals(table: TableName, keys: readonly AnyRow[]): RowWrite {
  const { key }: TableDefinition = tables[table];
  return { ...shapesOf(table).removal, values: keys.flatMap((row) => key.map((column) => row[column] as Value)) };
}

/** Rows that give the same columns share statements. */
function pushUpserts(writes: RowWrite[], table: TableName, rows: readonly AnyRow[]): void {
  const { columns, upserts } = shapesOf(table);
  const valuesByMask = new Map<number, Value[]>();
  let lastMask = -1;
  let values: Value[] = [];
  const row: Value[] = [];
  for (const change of rows) {
    let mask = 0;
    let given = 0;
    for (let i = 0; i < columns.length; i++) {
      const value = change[columns[i]!];
      if (value === undefined) continue;
      mask |= 1 << i;
      row[given++] = value;
    }
    if (mask !== lastMask) {
      const known = valuesByMask.get(mask);
      if (known) values = known;
      else valuesByMask.set(mask, (values = []));
      lastMask = mask;
    }
    for (let i = 0; i < given; i++) values.push(row[i]!);
  }
  for (const [mask, ofMask] of valuesByMask) {
    let shape = upserts.get(mask);
    if (!shape) upserts.set(mask, (shape = upsertShape(table, columns, mask)));
    const { head, row: places, tail, width } = shape;
    writes.push({ head, row: places, tail, width, values: ofMask });
  }
}

function pushCut(writes: RowWrite[], { topic, partition, before }: Cut): void {
  for (const table of tablesToCut[topic] ?? [])
    writes.push({
      head: `delete from "${table}" where partition = ? and "offset" < ?`,
      row: '',
      tail: '',
      width: 2,
      values: [partition, before],
    });
  const head = 'delete from quarantine where topic = ? and partition = ? and "offset" < ?';
  writes.push({ head, row: '', tail: '', width: 3, values: [topic, partition, before] });
}

function shapesOf(table: TableName): TableShapes {
  let known = shapes.get(table);
  if (!known) {
    const { key, columns }: TableDefinition = tables[table];
    const removal = {
      head: `delete from "${table}" where (${key.map((column) => `"${column}"`).join(', ')}) in (values `,
      row: placesOf(key.length),
      tail: ')',
      width: key.length,
    };
    shapes.set(table, (known = { columns: Object.keys(columns), removal, upserts: new Map() }));
  }
  return known;
}

function upsertShape(table: TableName, columns: readonly string[], mask: number): Shape & { readonly given: readonly string[] } {
  const given = columns.filter((_, i) => mask & (1 << i));
  return {
    given,
    head: `${insertInto(table, given)} values `,
    row: placesOf(given.length),
    tail: ` ${onConflict(table, given)}`,
    width: given.length,
  };
}

const placesOf = (width: number): string => `(${new Array<string>(width).fill('?').join(', ')})`;
