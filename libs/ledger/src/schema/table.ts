/**
 * A ledger table, described once: its DDL, its upserts, its place in the digest and its TypeScript row come from here.
 * Booleans are integers 0 and 1, times are epoch ms: both engines keep them alike.
 */
export interface ColumnDefinition {
  readonly type: 'text' | 'integer' | 'blob';
  readonly required: boolean;
  /** Once the named column of the row is set, this one keeps its value: the first one counts. */
  readonly keptWith?: string;
  /** The greater of old and new counts, in whatever order they come. */
  readonly greatest?: true;
  /** A replay may come to another value without the ledger being wrong. */
  readonly outsideDigest?: true;
}

export interface TableDefinition {
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnDefinition>>;
  readonly indexes?: readonly (readonly string[])[];
  /** Only rows where the column `where` is set. */
  readonly sparseIndexes?: readonly { readonly columns: readonly string[]; readonly where: string }[];
}

type Rules = Pick<ColumnDefinition, 'keptWith' | 'greatest' | 'outsideDigest'>;
type Optional<T> = ColumnDefinition & { readonly type: T; readonly required: false };
type Required<T> = ColumnDefinition & { readonly type: T; readonly required: true };

export const text = (rules?: Rules): Optional<'text'> => ({ type: 'text', required: false, ...rules });
export const integer = (rules?: Rules): Optional<'integer'> => ({ type: 'integer', required: false, ...rules });
export const blob = (rules?: Rules): Optional<'blob'> => ({ type: 'blob', required: false, ...rules });
/** Columns that every change of the row carries. */
export const must = {
  text: { type: 'text', required: true } as Required<'text'>,
  integer: { type: 'integer', required: true } as Required<'integer'>,
};

type ValueOf<C extends ColumnDefinition> = C['type'] extends 'text' ? string : C['type'] extends 'integer' ? number : Uint8Array;

/** A row as it is read. */
export type RowOf<T extends TableDefinition> = {
  [C in keyof T['columns'] & string]: T['columns'][C]['required'] extends true ? ValueOf<T['columns'][C]> : ValueOf<T['columns'][C]> | null;
};

/** A change of a row: its required columns and any others; a column left out stays as it is. */
export type ChangeOf<T extends TableDefinition> = {
  [C in keyof T['columns'] & string as T['columns'][C]['required'] extends true ? C : never]: ValueOf<T['columns'][C]>;
} & { [C in keyof T['columns'] & string as T['columns'][C]['required'] extends true ? never : C]?: ValueOf<T['columns'][C]> | null };
