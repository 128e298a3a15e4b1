import { createHash } from 'node:crypto';
import { StoredRecord } from '@doorledger/event-log';
import fc from 'fast-check';
import { chainStart, extendChain } from './chain.js';

const topic = 'doorledger.session.v1';

interface Content {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string;
  readonly headers: Record<string, string>;
  readonly value: Uint8Array | null;
}
const record = ({ offset, timestamp, key, headers, value }: Content) =>
  new StoredRecord(topic, 0, offset, timestamp, 1, key, value, headers);

/** The chain as its docstring tells it, written a second time and the slow way. */
function told(contents: readonly Content[], from = 0): string {
  const u32 = (n: number) => Buffer.from(n.toString(16).padStart(8, '0'), 'hex');
  const u64 = (n: number) => Buffer.from(n.toString(16).padStart(16, '0'), 'hex');
  const field = (bytes: Uint8Array) => Buffer.concat([u32(bytes.length), bytes]);
  const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  let head = sha(Buffer.from('doorledger.chain.v1\0'), field(Buffer.from(topic)), u32(0), u64(from));
  for (const { offset, timestamp, key, headers, value } of contents) {
    const pairs = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
    head = sha(
      head,
      field(u64(offset)),
      field(u64(timestamp)),
      field(Buffer.from(key)),
      u32(pairs.length),
      ...pairs.flat().map((text) => field(Buffer.from(text))),
      value ? field(value) : u32(0xffffffff),
    );
  }
  return head.toString('hex');
}

const text = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 50 }));
const content = fc.record({
  offset: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  timestamp: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  key: text,
  headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), text, { maxKeys: 9, noNullPrototype: true }),
  value: fc.option(fc.uint8Array({ maxLength: 600 })),
});
const headOf = (contents: readonly Content[], from = 0) =>
  contents.reduce((chain, of) => extendChain(chain, record(of)), chainStart(topic, 0, from));

it('V1 chains offset, timestamp, key, headers by name and value, each length-prefixed, as anybody can compute from its description', () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 4 }), fc.nat(), (contents, from) =>
      expect(headOf(contents, from)).toEqual({ from, head: told(contents, from) }),
    ),
  );
});

it('V1 gives another head for another record, order, partition or start', () => {
  const a: Content = { offset: 0, timestamp: 5, key: 'k', headers: { ce_id: '1', ce_type: 'x' }, value: Buffer.from('v') };
  const b: Content = { ...a, offset: 1 };
  const others: Content[] = [
    { ...a, offset: 2 },
    { ...a, timestamp: 6 },
    { ...a, key: 'l' },
    { ...a, headers: { ce_id: '1x', ce_type: '' } },
    { ...a, headers: { ce_id: '1' } },
    { ...a, value: null },
    { ...a, value: new Uint8Array() },
    { ...a, key: 'kv', value: new Uint8Array() },
  ];
  const heads = [headOf([a, b]), headOf([b, a]), headOf([a]), headOf([b]), ...others.map((other) => headOf([other, b]))].map(
    ({ head }) => head,
  );
  heads.push(
    chainStart(topic, 0, 0).head,
    chainStart(topic, 1, 0).head,
    chainStart(topic, 0, 1).head,
    chainStart('doorledger.session.v2', 0, 0).head,
  );
  expect(new Set(heads).size).toBe(heads.length);
  expect(headOf([{ ...a, headers: { ce_type: 'x', ce_id: '1' } }])).toEqual(headOf([a]));
});

it('V1 chains a record as large as any after one that is small', () => {
  const large: Content = { offset: 1, timestamp: 1, key: 'é'.repeat(9000), headers: {}, value: new Uint8Array(700_000).fill(7) };
  expect(headOf([large]).head).toBe(told([large]));
});
