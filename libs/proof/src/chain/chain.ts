import { hash } from 'node:crypto';
import type { StoredRecord } from '@doorledger/event-log';

/** A hash chain over the records of one partition (V1). */
export interface Chain {
  /** Offset of its first record. */
  readonly from: number;
  /** SHA-256 in hex, over everything up to the last record. */
  readonly head: string;
}

const HEAD_BYTES = 32;
const NO_VALUE = 0xffffffff;
const HIGH = 2 ** 32;
const NOT_ASCII = /[^\0-\x7f]/;
/** Grows to the largest record met. */
let scratch = Buffer.allocUnsafeSlow(16 * 1024);

/** The chain of a partition before its first record: no two partitions, and no two starts, share one. */
export function chainStart(topic: string, partition: number, from: number): Chain {
  const name = Buffer.from(topic);
  const place = Buffer.alloc(12);
  place.writeUInt32BE(partition, 0);
  place.writeBigUInt64BE(BigInt(from), 4);
  return { from, head: hash('sha256', Buffer.concat([Buffer.from(`doorledger.chain.v1\0${prefix(name.length)}`, 'latin1'), name, place])) };
}

/**
 * The chain with one more record: SHA-256 over the former head (32 bytes), offset, log timestamp (8 bytes each), key, count of headers, name
 * and value of each in the order of their names, and the value. Before every field after the head stands its length in 4 bytes, 0xffffffff
 * where there is no value; the count is 4 bytes. Numbers are big-endian, text is UTF-8.
 */
export function extendChain({ from, head }: Chain, record: StoredRecord): Chain {
  const { offset, timestamp, key, headers, value } = record;
  const names = Object.keys(headers).sort();
  reserve(key, headers, names, value);
  let at = scratch.write(head, 0, 'hex');
  at = writeNumber(offset, at);
  at = writeNumber(timestamp, at);
  at = writeTexts(key, headers, names, at);
  at = scratch.writeUInt32BE(value ? value.length : NO_VALUE, at);
  if (value) {
    scratch.set(value, at);
    at += value.length;
  }
  return { from, head: hash('sha256', scratch.subarray(0, at)) };
}

type Headers = StoredRecord['headers'];

/** UTF-8 takes at most three bytes for one UTF-16 unit. */
function reserve(key: string, headers: Headers, names: readonly string[], value: StoredRecord['value']): void {
  let bytes = HEAD_BYTES + 36 + 3 * key.length + (value?.length ?? 0);
  for (const name of names) bytes += 8 + 3 * (name.length + headers[name]!.length);
  if (bytes > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * bytes);
}

/** One write for all of it where every character is one byte, as in all that we write: a third of the time of many small ones. */
function writeTexts(key: string, headers: Headers, names: readonly string[], at: number): number {
  let all = key;
  let framed = prefix(key.length) + key + prefix(names.length);
  for (const name of names) {
    const value = headers[name]!;
    all += name + value;
    framed += prefix(name.length) + name + prefix(value.length) + value;
  }
  if (!NOT_ASCII.test(all)) return at + scratch.write(framed, at, 'latin1');
  at = scratch.writeUInt32BE(names.length, writeText(key, at));
  for (const name of names) at = writeText(headers[name]!, writeText(name, at));
  return at;
}

/** A length in 4 bytes, as characters of Latin-1. */
const prefix = (length: number): string => String.fromCharCode(length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255);

function writeText(text: string, at: number): number {
  const length = scratch.write(text, at + 4);
  return scratch.writeUInt32BE(length, at) + length;
}

function writeNumber(value: number, at: number): number {
  return scratch.writeUInt32BE(value >>> 0, scratch.writeInt32BE(Math.floor(value / HIGH), scratch.writeUInt32BE(8, at)));
}
