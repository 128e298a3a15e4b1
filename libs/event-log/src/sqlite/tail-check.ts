import type Database from 'better-sqlite3';
import { type RecordRow, corruptRecord } from './log-file.js';
import { type PartitionTable, type Slot, offsetOf, placeOf } from './partition-table.js';
import { frameBound, readFrame, writeFrame } from './record-frame.js';
import { sqliteCodeOf } from './sqlite-code.js';

/** How many records of each partition are checked at every start (K6); `doorledger verify` checks all. */
export const TAIL_RECORDS = 1_000;

/** @throws LogRefusedError `ERR_LOG_CORRUPT` naming the first of the newest records that is missing or not as it was written. */
export function refuseCorruptTail(
  db: Database.Database,
  partitions: PartitionTable,
  ends: readonly { start: number; end: number }[],
): void {
  for (const slot of partitions.slots) {
    const { start, end } = ends[slot.slot]!;
    checkRecords(db, slot, Math.max(start, end - TAIL_RECORDS), end);
  }
}

/** Checks that every offset in [from, end) is there and has its checksum. */
export function checkRecords(db: Database.Database, slot: Slot, from: number, end: number): void {
  const rows = db.prepare<[number, number], RecordRow>('SELECT * FROM record WHERE place >= ? AND place < ? ORDER BY place').raw();
  let expected = from;
  try {
    for (const row of rows.iterate(placeOf(slot.slot, from), placeOf(slot.slot, end))) {
      if (offsetOf(row[0]) !== expected || checksumOf(row) !== row[6]) break;
      expected += 1;
    }
  } catch (error) {
    if (!sqliteCodeOf(error)?.startsWith('SQLITE_CORRUPT')) throw error;
  }
  if (expected !== end) throw corruptRecord(slot, expected);
}

let scratch = Buffer.allocUnsafeSlow(64 * 1024);

function checksumOf([place, timestamp, epoch, key, headers, value]: RecordRow): number | undefined {
  if (typeof key !== 'string' || typeof headers !== 'string' || !Buffer.isBuffer(value)) return undefined;
  const bound = frameBound(key.length, headers.length, value.length);
  if (bound > scratch.length) scratch = Buffer.allocUnsafeSlow(bound);
  writeFrame(scratch, 0, { place, timestamp, epoch, key, headers, value });
  return readFrame(scratch, 0).checksum;
}
