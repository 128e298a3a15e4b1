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
  const { columns } = shapesOf(table);
  const byMask = new Map<number, AnyRow[]>();
  let mask = -1;
  let alike: AnyRow[] = [];
  for (const row of rows) {
    const own = maskOf(columns, row);
    if (own !== mask) {
      mask = own;
      const known = byMask.get(mask);
      if (known) alike = known;
      else byMask.set(mask, (alike = []));
    }
    alike.push(row);
  }
  for (const [given, of] of byMask) writes.push(upsert(table, given, of));
}

/** Bits are the table's columns in order. */
function maskOf(columns: readonly string[], row: AnyRow): number {
  let mask = 0;
  for (let i = 0; i < columns.length; i++) if (row[columns[i]!] !== undefined) mask |= 1 << i;
  return mask;
}

function upsert(table: TableName, mask: number, rows: readonly AnyRow[]): RowWrite {
  const { columns, upserts } = shapesOf(table);
  let shape = upserts.get(mask);
  if (!shape) upserts.set(mask, (shape = upsertShape(table, columns, mask)));
  const { head, row, tail, width, given } = shape;
  const values = new Array<Value>(rows.length * width);
  let at = 0;
  for (const of of rows) for (const column of given) values[at++] = of[column] as Value;
  return { head, row, tail, width, values };
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
