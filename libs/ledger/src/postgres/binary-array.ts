/**
 * One-dimensional arrays in PostgreSQL's binary format, for parameters of `unnest`. The server reads them without parsing or
 * unescaping, and one statement serves any number of rows. Elements: length, then bytes; -1 for null.
 */
export type ElementType = 'text' | 'integer' | 'blob';
export type Element = string | number | Uint8Array | null | undefined;

const OIDS = { text: 25, integer: 20, blob: 17 } as const;
const HEADER = 20;
const NULL = -1;
const HIGH = 2 ** 32;

/** `text[]`, `int8[]` or `bytea[]` of one column's values, in row order. */
export function binaryArray(type: ElementType, values: readonly Element[]): Buffer {
  const array = Buffer.allocUnsafe(sizeOf(values));
  let hasNull = 0;
  let at = HEADER;
  for (const value of values) {
    if (value === null || value === undefined) {
      hasNull = 1;
      at = array.writeInt32BE(NULL, at);
    } else if (typeof value === 'string') {
      const length = array.write(value, at + 4);
      at = array.writeInt32BE(length, at) + length;
    } else if (typeof value === 'number') {
      at = array.writeInt32BE(8, at);
      at = array.writeInt32BE(Math.floor(value / HIGH), at);
      at = array.writeUInt32BE(value >>> 0, at);
    } else {
      at = array.writeInt32BE(value.length, at);
      array.set(value, at);
      at += value.length;
    }
  }
  // Dimensions, whether there are nulls, element type, length, lower bound.
  const header = [1, hasNull, OIDS[type], values.length, 1];
  for (let i = 0; i < header.length; i++) array.writeInt32BE(header[i]!, i * 4);
  return at === array.length ? array : array.subarray(0, at);
}

/** At least what the array takes: a UTF-16 unit makes at most three bytes, and long text is measured. */
function sizeOf(values: readonly Element[]): number {
  let size = HEADER + 4 * values.length;
  for (const value of values)
    if (typeof value === 'number') size += 8;
    else if (typeof value === 'string') size += value.length < LONG ? 3 * value.length : Buffer.byteLength(value);
    else if (value) size += value.length;
  return size;
}

const LONG = 100;

const ARRAYS = { text: 'text[]', integer: 'int8[]', blob: 'bytea[]' } as const;

/** The rows of columns given as parameters 1, 2, …: each is the binary array of its column. */
export const unnest = (types: readonly ElementType[]): string =>
  `unnest(${types.map((type, i) => `$${i + 1}::${ARRAYS[type]}`).join(', ')})`;
