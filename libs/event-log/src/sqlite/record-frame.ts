import { crc32 } from 'node:zlib';

/**
 * One record as bytes: how it goes to the writer's thread, and what its checksum covers (K6). Little-endian:
 * place f64 · timestamp f64 · epoch u32 · key bytes u32 · headers bytes u32 · value bytes u32 · key · headers (JSON) · value
 */
export const FRAME_HEADER_BYTES = 32;

export interface FrameContent {
  /** Where it goes: see `placeOf`. */
  readonly place: number;
  /** The log append time, ms since the Unix epoch. */
  readonly timestamp: number;
  /** The count of writer starts. */
  readonly epoch: number;
  readonly key: string;
  /** The headers as JSON. */
  readonly headers: string;
  readonly value: Uint8Array;
}

/** At most so many bytes; UTF-8 takes at most three for one UTF-16 unit. */
export const frameBound = (keyLength: number, headersLength: number, valueBytes: number): number =>
  FRAME_HEADER_BYTES + 3 * (keyLength + headersLength) + valueBytes;

/** Writes a frame at `start` and returns where it ends. */
export function writeFrame(buffer: Buffer, start: number, { place, timestamp, epoch, key, headers, value }: FrameContent): number {
  const keyAt = start + FRAME_HEADER_BYTES;
  const keyBytes = buffer.write(key, keyAt);
  const headersBytes = buffer.write(headers, keyAt + keyBytes);
  const valueAt = keyAt + keyBytes + headersBytes;
  buffer.set(value, valueAt);
  buffer.writeDoubleLE(place, start);
  buffer.writeDoubleLE(timestamp, start + 8);
  buffer.writeUInt32LE(epoch, start + 16);
  buffer.writeUInt32LE(keyBytes, start + 20);
  buffer.writeUInt32LE(headersBytes, start + 24);
  buffer.writeUInt32LE(value.length, start + 28);
  return valueAt + value.length;
}

export interface Frame extends FrameContent {
  readonly end: number;
  readonly checksum: number;
}

export function readFrame(buffer: Buffer, start: number): Frame {
  const keyAt = start + FRAME_HEADER_BYTES;
  const headersAt = keyAt + buffer.readUInt32LE(start + 20);
  const valueAt = headersAt + buffer.readUInt32LE(start + 24);
  const end = valueAt + buffer.readUInt32LE(start + 28);
  return {
    place: buffer.readDoubleLE(start),
    timestamp: buffer.readDoubleLE(start + 8),
    epoch: buffer.readUInt32LE(start + 16),
    key: buffer.toString('utf8', keyAt, headersAt),
    headers: buffer.toString('utf8', headersAt, valueAt),
    value: buffer.subarray(valueAt, end),
    end,
    checksum: crc32(buffer.subarray(start, end)),
  };
}
