import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { MARKER_PAGE, type WalMarker, markerOnPage } from './wal-marker.js';

/** What a write-ahead file would bring into its main file. */
export interface WalContents {
  /** Frames of whole transactions; 0 means that SQLite would take nothing from it. */
  readonly frames: number;
  readonly pageSize: number;
  /** Of every transaction, oldest first. */
  readonly markers: readonly WalMarker[];
}

const EMPTY: WalContents = { frames: 0, pageSize: 0, markers: [] };
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const CHUNK_FRAMES = 256;

/** Reads a `-wal` file as SQLite's recovery does (https://sqlite.org/walformat.html), without SQLite. */
export function readWal(path: string): WalContents {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return EMPTY;
  const fd = openSync(path, 'r');
  try {
    return readFrames(fd);
  } finally {
    closeSync(fd);
  }
}

function readFrames(fd: number): WalContents {
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(fd, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return EMPTY;
  const magic = header.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) return EMPTY;
  const sum = new WalChecksum((magic & 1) === 0);
  sum.add(header, 0, 24);
  if (!sum.equals(header, 24)) return EMPTY;
  const pageSize = header.readUInt32BE(8);
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const chunk = Buffer.alloc(frameBytes * CHUNK_FRAMES);
  const markers: WalMarker[] = [];
  let seen = 0;
  let frames = 0;
  let committedMarkers = 0;
  for (let at = HEADER_BYTES; ; at += chunk.length) {
    const bytes = readSync(fd, chunk, 0, chunk.length, at);
    for (let start = 0; start + frameBytes <= bytes; start += frameBytes) {
      const saltsMatch = chunk.compare(header, 16, 24, start + 8, start + 16) === 0;
      if (saltsMatch) sum.add(chunk, start, 8).add(chunk, start + FRAME_HEADER_BYTES, pageSize);
      if (!saltsMatch || !sum.equals(chunk, start + 16)) return { frames, pageSize, markers: markers.slice(0, committedMarkers) };
      seen += 1;
      if (chunk.readUInt32BE(start) === MARKER_PAGE) {
        const marker = markerOnPage(chunk.subarray(start + FRAME_HEADER_BYTES, start + frameBytes));
        if (marker) markers.push(marker);
      }
      if (chunk.readUInt32BE(start + 4) !== 0) {
        frames = seen;
        committedMarkers = markers.length;
      }
    }
    if (bytes < chunk.length) return { frames, pageSize, markers: markers.slice(0, committedMarkers) };
  }
}

/** The running checksum of a write-ahead file: each frame's covers all before it. */
class WalChecksum {
  #a = 0;
  #b = 0;

  constructor(readonly littleEndian: boolean) {}

  add(bytes: Buffer, start: number, length: number): this {
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, length);
    let a = this.#a;
    let b = this.#b;
    for (let i = 0; i < length; i += 8) {
      a = (a + view.getUint32(i, this.littleEndian) + b) | 0;
      b = (b + view.getUint32(i + 4, this.littleEndian) + a) | 0;
    }
    this.#a = a;
    this.#b = b;
    return this;
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#a >>> 0 && bytes.readUInt32BE(at + 4) === this.#b >>> 0;
  }
}
