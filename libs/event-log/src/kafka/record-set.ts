import { gunzipSync } from 'node:zlib';
import { StoredRecord } from '../stored-record.js';
import { takeEpoch } from './carried-epoch.js';
import type { FetchedPartition } from './fetch-response.js';
import { VarintReader } from './varint-reader.js';

/** What a fetched piece of a partition holds. */
export interface RecordSet {
  /** In offset order, none before the offset asked for. */
  readonly records: StoredRecord[];
  /** The offset to go on from, past everything that was read. */
  readonly next: number;
  /** Offsets between that hold nothing to apply: control records, aborted transactions (K11). */
  readonly passed: number;
  /** The batch that cannot be read, if one was met: `next` is its first offset not yet passed. */
  readonly unreadable?: { readonly codec: string; readonly cause?: unknown };
}

const HEADER_BYTES = 61;
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd', 'codec 5', 'codec 6', 'codec 7'] as const;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
const ABORT_MARKER = 0;

interface Batch {
  readonly base: number;
  readonly last: number;
  readonly epoch: number;
  readonly magic: number;
  readonly attributes: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly producerId: bigint;
  readonly count: number;
  /** After the header, as it was sent. */
  readonly body: Buffer;
}

/** Reads the batches of one partition from the offset `from` on. Never throws for what it meets. */
export function readRecordSet({ topic, partition, records: bytes, aborted }: FetchedPartition, from: number): RecordSet {
  const records: StoredRecord[] = [];
  const pending = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  const abortedNow = new Set<bigint>();
  let next = from;
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const end = at + 12 + bytes.readInt32BE(at + 8);
    if (end > bytes.length) break;
    const batch = readHeader(bytes.subarray(at, end));
    at = end;
    while (pending.length > 0 && pending[0]!.firstOffset <= batch.last) abortedNow.add(pending.shift()!.producerId);
    const isControl = (batch.attributes & CONTROL) !== 0;
    const isAborted = (batch.attributes & TRANSACTIONAL) !== 0 && abortedNow.has(batch.producerId);
    try {
      if (isControl && isAbortMarker(batch.body)) abortedNow.delete(batch.producerId);
      if (!isControl && !isAborted && batch.last >= from) readRecords(batch, inflate(batch), topic, partition, from, records);
    } catch (cause) {
      next = Math.max(next, batch.base);
      while (records.length > 0 && records.at(-1)!.offset >= next) records.pop();
      return { records, next, passed: next - from - records.length, unreadable: { codec: codecOf(batch), cause } };
    }
    next = Math.max(next, batch.last + 1);
  }
  return { records, next, passed: next - from - records.length };
}

function readHeader(bytes: Buffer): Batch {
  const base = Number(bytes.readBigInt64BE(0));
  return {
    base,
    epoch: bytes.readInt32BE(12),
    magic: bytes.readInt8(16),
    attributes: bytes.readInt16BE(21),
    last: base + bytes.readInt32BE(23),
    baseTimestamp: Number(bytes.readBigInt64BE(27)),
    maxTimestamp: Number(bytes.readBigInt64BE(35)),
    producerId: bytes.readBigInt64BE(43),
    count: bytes.readInt32BE(57),
    body: bytes.subarray(HEADER_BYTES),
  };
}

const codecOf = ({ magic, attributes }: Batch): string => (magic === 2 ? CODECS[(attributes & 7) as 0] : `message format ${magic}`);

function inflate(batch: Batch): Buffer {
  const codec = codecOf(batch);
  if (codec === 'none') return batch.body;
  if (codec === 'gzip') return gunzipSync(batch.body);
  throw new Error(`no reader for ${codec}`);
}

/** A marker's record: length, attributes, two deltas, then the key `version:i16 type:i16`. */
function isAbortMarker(body: Buffer): boolean {
  const reader = new VarintReader(body);
  reader.varint();
  reader.at += 1;
  reader.varint();
  reader.varint();
  return reader.bytes()!.readInt16BE(2) === ABORT_MARKER;
}

function readRecords(batch: Batch, body: Buffer, topic: string, partition: number, from: number, into: StoredRecord[]): void {
  const reader = new VarintReader(body);
  const isLogTime = (batch.attributes & LOG_APPEND_TIME) !== 0;
  for (let left = batch.count; left > 0; left--) {
    const end = reader.varint() + reader.at;
    if (end > body.length) throw new RangeError('a record reaches past its batch');
    reader.at += 1;
    const timeDelta = reader.varint();
    const offset = batch.base + reader.varint();
    if (offset >= from) {
      const key = reader.text() ?? '';
      const value = reader.bytes();
      const headers: Record<string, string> = {};
      for (let count = reader.varint(); count > 0; count--) {
        setHeader(headers, reader.text() ?? '', reader.text() ?? '');
      }
      const timestamp = isLogTime ? batch.maxTimestamp : batch.baseTimestamp + timeDelta;
      const epoch = (isLogTime ? undefined : takeEpoch(headers)) ?? batch.epoch;
      into.push(new StoredRecord(topic, partition, offset, timestamp, epoch, key, value, headers));
    }
    reader.at = end;
  }
}

/** Of headers with the same name the last one counts, as for Java's `lastHeader`. */
function setHeader(headers: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__') Object.defineProperty(headers, name, { value, enumerable: true, configurable: true, writable: true });
  else headers[name] = value;
}
