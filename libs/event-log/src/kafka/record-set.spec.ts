import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import type { AbortedTransaction } from './fetch-response.js';
import { readRecordSet, type RecordSet } from './record-set.js';

interface PlannedRecord {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

interface PlannedBatch {
  readonly base: number;
  readonly records: readonly PlannedRecord[];
  readonly epoch?: number;
  readonly attributes?: number;
  readonly producerId?: number;
  /** Offsets the batch takes beyond its records. */
  readonly hole?: number;
}

const MAX_TIMESTAMP = 5_000;
const LOG_TIME = 0x08;
const CREATE_TIME = 0;
const TRANSACTION = 0x10;
const CONTROL = 0x20;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const sized = (text: string | null): Buffer =>
  text === null ? varint(-1) : Buffer.concat([varint(Buffer.byteLength(text)), Buffer.from(text)]);

function recordBytes({ key, value, headers = {} }: PlannedRecord, delta: number): Buffer {
  const all = Object.entries(headers);
  const parts = [Buffer.from([0]), varint(delta * 10), varint(delta), sized(key), sized(value), varint(all.length)];
  const body = Buffer.concat([...parts, ...all.flatMap(([name, text]) => [sized(name), sized(text)])]);
  return Buffer.concat([varint(body.length), body]);
}

function batchBytes({ base, records, epoch = 7, attributes = LOG_TIME, producerId = -1, hole = 0 }: PlannedBatch): Buffer {
  const plain = Buffer.concat(records.map((record, i) => recordBytes(record, i)));
  const body = (attributes & 7) === 1 ? gzipSync(plain) : plain;
  const header = Buffer.alloc(61);
  header.writeBigInt64BE(BigInt(base), 0);
  header.writeInt32BE(61 - 12 + body.length, 8);
  header.writeInt32BE(epoch, 12);
  header.writeInt8(2, 16);
  header.writeInt16BE(attributes, 21);
  header.writeInt32BE(records.length - 1 + hole, 23);
  header.writeBigInt64BE(1_000n, 27);
  header.writeBigInt64BE(BigInt(MAX_TIMESTAMP), 35);
  header.writeBigInt64BE(BigInt(producerId), 43);
  header.writeInt32BE(records.length, 57);
  return Buffer.concat([header, body]);
}

const read = (batches: readonly PlannedBatch[], from: number, aborted: AbortedTransaction[] = [], cut = 0): RecordSet => {
  const bytes = Buffer.concat(batches.map(batchBytes));
  return readRecordSet({ topic: 't', partition: 2, errorCode: 0, aborted, records: bytes.subarray(0, bytes.length - cut) }, from);
};
const texts = ({ records }: RecordSet): string[] => records.map(({ offset, value }) => `${offset}:${Buffer.from(value ?? []).toString()}`);
const some = (...values: string[]): PlannedRecord[] => values.map((value) => ({ key: 'k', value }));
const marker = (base: number, producerId: number, type: 'abort' | 'commit'): PlannedBatch => ({
  base,
  producerId,
  attributes: LOG_TIME | TRANSACTION | CONTROL,
  records: [{ key: `\0\0\0${type === 'abort' ? '\0' : '\x01'}`, value: '' }],
});

describe('the record set of a fetch', () => {
  it('K2 gives every record its place, leader epoch and log append time', () => {
    const { records, next } = read(
      [{ base: 40, epoch: 9, records: [{ key: 'key', value: 'value', headers: { ce_type: 'turn.claimed' } }] }],
      40,
    );
    const { value, headers, ...place } = records[0]!;
    expect({ value, headers, ...place }).toEqual({
      topic: 't',
      partition: 2,
      offset: 40,
      epoch: 9,
      timestamp: MAX_TIMESTAMP,
      key: 'key',
      value: Buffer.from('value'),
      headers: { ce_type: 'turn.claimed' },
    });
    expect(next).toBe(41);
  });

  it('K2 takes the time a writer gave only where the topic has no log append time', () => {
    const { records } = read([{ base: 0, attributes: CREATE_TIME, records: some('a', 'b') }], 0);
    expect(records.map(({ timestamp }) => timestamp)).toEqual([1_000, 1_010]);
  });

  it('K11 skips what lies before the position, inside a batch too, and leaves a batch that is cut off for the next fetch', () => {
    const batches = [
      { base: 0, records: some('a', 'b') },
      { base: 2, records: some('c', 'd', 'e') },
      { base: 5, records: some('f') },
    ];
    const set = read(batches, 3, [], 1);
    expect(texts(set)).toEqual(['3:d', '4:e']);
    expect(set).toMatchObject({ next: 5, passed: 0 });
    expect(read(batches.slice(0, 1), 0, [], 70)).toEqual({ records: [], next: 0, passed: 0 });
  });

  it('K11 passes and counts holes, control records and what an aborted transaction left', () => {
    const aborted = [{ producerId: 7n, firstOffset: 1 }];
    const set = read(
      [
        { base: 0, records: some('plain') },
        { base: 1, producerId: 7, attributes: LOG_TIME | TRANSACTION, records: some('undone', 'undone') },
        { base: 3, producerId: 8, attributes: LOG_TIME | TRANSACTION, records: some('kept') },
        marker(4, 7, 'abort'),
        marker(5, 8, 'commit'),
        { base: 6, producerId: 7, attributes: LOG_TIME | TRANSACTION, records: some('later') },
        { base: 7, records: some('short'), hole: 2 },
        marker(12, 7, 'commit'),
      ],
      0,
      aborted,
    );
    expect(texts(set)).toEqual(['0:plain', '3:kept', '6:later', '7:short']);
    expect(set).toMatchObject({ next: 13, passed: 9 });
  });

  it.each([
    [2, 'snappy'],
    [3, 'lz4'],
    [4, 'zstd'],
  ])('K13 gives what comes before a batch it cannot read, and names its offset and codec (%i is %s)', (attributes, codec) => {
    const set = read(
      [
        { base: 0, records: some('a') },
        { base: 1, attributes, records: some('b') },
        { base: 2, records: some('c') },
      ],
      0,
    );
    expect(texts(set)).toEqual(['0:a']);
    expect(set).toMatchObject({ next: 1, unreadable: { codec } });
  });

  it('K13 takes nothing of a batch that is damaged, whichever byte of its body is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const bytes = Buffer.concat([
          batchBytes({ base: 0, records: some('a') }),
          batchBytes({ base: 1, records: some('bbbb', 'cccc', 'dddd') }),
        ]);
        const first = batchBytes({ base: 0, records: some('a') }).length;
        bytes[first + 61 + (at % (bytes.length - first - 61))] = byte;
        const set = readRecordSet({ topic: 't', partition: 2, errorCode: 0, aborted: [], records: bytes }, 0);
        expect(set.records[0]!.offset).toBe(0);
        if (set.unreadable) expect({ next: set.next, count: set.records.length }).toEqual({ next: 1, count: 1 });
        else expect(set.next).toBe(4);
      }),
    );
  });

  it('K2 reads back any records, compressed by gzip or not, from any offset', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const record = fc.record({
      key: text,
      value: fc.option(text),
      headers: fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(record, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
        fc.nat(10),
        fc.boolean(),
        (planned, from, isGzip) => {
          let base = 0;
          const batches = planned.map((records) => ({
            base: (base += records.length) - records.length,
            records,
            attributes: LOG_TIME | Number(isGzip),
          }));
          const set = read(batches, from);
          const expected = planned.flat().map(({ key, value, headers }, offset) => ({ offset, key, value, headers }));
          const found = set.records.map(({ offset, key, value, headers }) => ({
            offset,
            key,
            value: value && Buffer.from(value).toString(),
            headers,
          }));
          expect(found).toEqual(expected.slice(from));
          expect(set).toMatchObject({ next: Math.max(from, base), passed: 0 });
        },
      ),
    );
  });
});
