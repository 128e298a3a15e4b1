import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { tables, type LedgerTables, type TableName } from './schema/index.js';
import type { ColumnDefinition, TableDefinition } from './schema/table.js';

type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

export interface Digest {
  /** SHA-256 in hex. */
  readonly sha256: string;
  readonly rows: number;
}

export interface DigestOptions {
  /** Called after each page with the rows read so far and the table they are of. */
  readonly onProgress?: (rows: number, table: string) => void;
  readonly signal?: AbortSignal;
}

const PAGE = 1000;

/**
 * The canonical digest of a generation: every table in one fixed order, rows by primary key, columns by name, each value
 * with its kind and length. Engine, generation and order of insertion leave no trace (design §5). Read it inside one
 * snapshot. The event loop gets a turn after each page of 1 000 rows.
 */
export async function ledgerDigest(db: Kysely<LedgerTables>, { onProgress, signal }: DigestOptions = {}): Promise<Digest> {
  const hash = createHash('sha256');
  let rows = 0;
  for (const name of Object.keys(tables).sort() as TableName[]) {
    const table: TableDefinition = tables[name];
    const columns = Object.entries(table.columns)
      .filter(([, { outsideDigest }]) => !outsideDigest)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    hash.update(`table ${name}(${columns.map(([column]) => column).join(',')})\n`);
    for (let page = await readPage(db, name, table); page.length > 0; page = await readPage(db, name, table, page[page.length - 1])) {
      signal?.throwIfAborted();
      let text = '';
      for (const row of page) text += canonicalRow(columns, row);
      hash.update(text);
      rows += page.length;
      onProgress?.(rows, name);
      await nextTurn();
    }
  }
  return { sha256: hash.digest('hex'), rows };
}

async function readPage(db: Kysely<LedgerTables>, name: TableName, { key, columns }: TableDefinition, after?: Row): Promise<Row[]> {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const { rows } = await sql<Row>`select ${sql.join(Object.keys(columns).map((c) => sql.ref(c)))} from ${sql.table(name)} ${
    after ? sql`where (${keys}) > (${sql.join(key.map((column) => after[column]))})` : sql``
  } order by ${keys} limit ${sql.lit(PAGE)}`.execute(db);
  return rows;
}

function canonicalRow(columns: readonly (readonly [string, ColumnDefinition])[], row: Row): string {
  let text = '';
  for (const [column] of columns) text += canonicalValue(row[column] ?? null);
  return `${text}\n`;
}

function canonicalValue(value: Row[string]): string {
  if (value === null) return '-';
  if (typeof value === 'number') return `i${value};`;
  if (typeof value === 'string') return `t${Buffer.byteLength(value)}:${value}`;
  return `b${value.length}:${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}`;
}
