import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { LogRefusedError } from '../errors.js';
import { namedFileError } from './file.js';
import { mendOf } from './file-guard.js';
import { LogFile, logPath } from './log-file.js';
import { checkRecords } from './tail-check.js';

const CHUNK_RECORDS = 5_000;

export interface VerifyProgress {
  readonly checked: number;
  /** Records of the log when the check began. */
  readonly total: number;
}

/**
 * Checks every record of a log by its checksum, that no offset is missing, and SQLite's own structure (K6). It may stand beside
 * a running writer.
 * @returns how many records there are
 * @throws LogRefusedError `ERR_LOG_CORRUPT` with topic, partition and offset of the first bad record, `ERR_FILE_TORN`
 */
export async function verifySqliteLog(dir: string, onProgress: (progress: VerifyProgress) => void = () => {}): Promise<number> {
  const file = new LogFile(dir);
  try {
    const ranges = file.ranges();
    const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
    let checked = 0;
    for (const slot of file.partitions.slots) {
      const { start, end } = ranges[slot.slot]!;
      for (let from = start; from < end; from += CHUNK_RECORDS) {
        const until = Math.min(end, from + CHUNK_RECORDS);
        checkRecords(file.db, slot, from, until);
        checked += until - from;
        onProgress({ checked, total });
        await setImmediate();
      }
    }
    refuseDamaged(file.db, logPath(dir));
    return total;
  } finally {
    file.close();
  }
}

/** @throws LogRefusedError `ERR_FILE_TORN` unless SQLite finds its structure whole. */
export function refuseDamaged(db: Database.Database, path: string): void {
  let verdict: unknown;
  try {
    verdict = db.pragma('integrity_check(1)', { simple: true });
  } catch (error) {
    throw namedFileError(error, path);
  }
  if (verdict !== 'ok')
    throw new LogRefusedError('ERR_FILE_TORN', `${basename(path)} is damaged: ${mendOf(basename(path))}`, { cause: verdict });
}
