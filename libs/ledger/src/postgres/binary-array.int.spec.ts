import fc from 'fast-check';
import pg from 'pg';
import { binaryArray, type ElementType } from './binary-array.js';
import { specDatabases } from './testing/spec-database.js';

const newDatabase = specDatabases();
let client: pg.Client;
beforeEach(async () => {
  client = new pg.Client({ connectionString: await newDatabase() });
  await client.connect();
});
afterEach(() => client.end());

const casts: Record<ElementType, string> = { text: 'text[]', integer: 'int8[]', blob: 'bytea[]' };
const asRead: Record<ElementType, string> = { text: 'x', integer: 'x::text', blob: 'x' };

/** The values as the server has them after `unnest`, in order. */
async function throughServer(type: ElementType, values: readonly (string | number | Uint8Array | null)[]): Promise<unknown[]> {
  const { rows } = await client.query<{ x: unknown }>(
    `select ${asRead[type]} as x from unnest($1::${casts[type]}) with ordinality as u (x, i) order by i`,
    [binaryArray(type, values)],
  );
  return rows.map((row) => row.x);
}

it('L9 gives the server text, numbers, bytes and nulls as they are', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 }).map((s) => s.replaceAll('\u0000', ' '));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(text), { maxLength: 20 }),
      fc.array(fc.option(fc.maxSafeInteger()), { maxLength: 20 }),
      fc.array(fc.option(fc.uint8Array({ maxLength: 300 })), { maxLength: 20 }),
      async (texts, integers, blobs) => {
        expect(await throughServer('text', texts)).toEqual(texts);
        expect(await throughServer('integer', integers)).toEqual(integers.map((n) => (n === null ? null : String(n))));
        expect(await throughServer('blob', blobs)).toEqual(blobs.map((bytes) => bytes && Buffer.from(bytes)));
      },
    ),
    { numRuns: 60 },
  );
});

it('L9 gives the server the ends of the range of numbers, and what a column leaves out as null', async () => {
  const numbers = [0, -1, 1, 2 ** 31, 2 ** 32, -(2 ** 32), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  expect(await throughServer('integer', numbers)).toEqual(numbers.map((n) => BigInt(n).toString()));
  expect(await throughServer('text', [undefined as never, ''])).toEqual([null, '']);
});

it('X0 writes half a surrogate pair as the replacement character', async () => {
  expect(await throughServer('text', ['a\ud800b', '\udc00'])).toEqual(['a\ufffdb', '\ufffd']);
});
