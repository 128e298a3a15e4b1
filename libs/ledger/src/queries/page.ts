import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { LedgerError } from '../errors.js';

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 100;

export type CursorValue = string | number;

export interface PageRequest {
  /** 1 to 100. */
  readonly limit?: number;
  /** A page's `cursor`. */
  readonly cursor?: string;
}

/** One page of a list in a stable order. `cursor` is absent on the last one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

/** What a list is ordered by: unique together, all in one direction. */
export interface PageOrder<R> {
  readonly columns: readonly (keyof R & string)[];
  readonly direction: 'asc' | 'desc';
}

/** Rows after the cursor, in the order of the page. */
export function afterCursor<R>({ columns, direction }: PageOrder<R>, cursor: string): RawBuilder<SqlBool> {
  const values = readCursor(cursor, columns.length);
  return sql<SqlBool>`(${sql.join(columns.map((c) => sql.ref(c)))}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${sql.join(values)})`;
}

/** A page of rows read with one more than the limit. */
export function pageOf<R, T>(rows: readonly R[], limit: number, { columns }: PageOrder<R>, item: (row: R) => T): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown[shown.length - 1];
  return {
    items: shown.map(item),
    ...(rows.length > limit && last && { cursor: writeCursor(columns.map((c) => last[c] as CursorValue)) }),
  };
}

const writeCursor = (values: readonly CursorValue[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');

/** @throws LedgerError `ERR_INVALID_QUERY` */
function readCursor(cursor: string, length: number): CursorValue[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(values) && values.length === length && values.every((v) => typeof v === 'string' || typeof v === 'number'))
      return values;
  } catch {
    // Said below.
  }
  throw new LedgerError('ERR_INVALID_QUERY', 'This cursor is not one of this list: pass the `cursor` of its previous page, or none.');
}
