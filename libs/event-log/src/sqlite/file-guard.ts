import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { LogRefusedError } from '../errors.js';
import { MARKER_PAGE, type WalMarker, markerOnPage } from './wal-marker.js';
import { readWal } from './wal-frames.js';

export type FileKind = 'log' | 'ledger' | 'keys' | 'webhooks';

/** SQLite's `application_id` per kind: "dl" and a letter. */
export const applicationIds: Readonly<Record<FileKind, number>> = {
  log: 0x646c_0001,
  ledger: 0x646c_0002,
  keys: 0x646c_0003,
  webhooks: 0x646c_0004,
};

/** What to do about a damaged file: a ledger is made from the log, everything else is the only copy there is. */
export const mendOf = (name: string): string =>
  name.startsWith('ledger.') ? `move it, its -wal and its -shm away, and the next start makes it anew from the log.` : 'put back a backup.';

const MAGIC = 'SQLite format 3\0';

interface MainFile {
  readonly pageSize: number;
  readonly applicationId: number;
  readonly format: number;
  readonly marker: WalMarker | undefined;
}

/**
 * Judges a main file and its write-ahead file before SQLite touches them: SQLite would mix two files that do not belong together
 * without a word (K14).
 * A file that this process has open must never come here: closing any descriptor of a file drops all of a process's POSIX
 * locks on it, SQLite's too.
 * @throws LogRefusedError `ERR_FILE_FOREIGN`, `ERR_FILE_TORN`, `ERR_FILE_NEWER`, `ERR_FILE_OLDER`, `ERR_FILE_FOREIGN_WAL`
 */
export function refuseForeignFile(path: string, kind: FileKind, format: number): void {
  const name = basename(path);
  const main = readMainFile(path, name);
  if (main.applicationId !== applicationIds[kind])
    throw new LogRefusedError('ERR_FILE_FOREIGN', `${name} is not a doorledger ${kind} file: move it away, or name another data folder.`);
  if (main.format > format)
    throw new LogRefusedError(
      'ERR_FILE_NEWER',
      `${name} has format ${main.format} of a newer release; this one reads ${format}. Use that release.`,
    );
  if (main.format < format)
    throw new LogRefusedError(
      'ERR_FILE_OLDER',
      `${name} has format ${main.format} of an older release; this one reads ${format}. Use that release.`,
    );
  if (!main.marker) throw new LogRefusedError('ERR_FILE_TORN', `Page ${MARKER_PAGE} of ${name} is damaged: ${mendOf(name)}`);
  refuseForeignWal(path, name, main.pageSize, main.marker);
}

/** The part of it that needs no kind and format: for a file to be copied. One without a marker was not written by the product. */
export function refuseMixedPair(path: string): void {
  const name = basename(path);
  const { marker, pageSize } = readMainFile(path, name);
  if (marker) refuseForeignWal(path, name, pageSize, marker);
}

function readMainFile(path: string, name: string): MainFile {
  const fd = openSync(path, 'r');
  try {
    const header = Buffer.alloc(100);
    const bytes = readSync(fd, header, 0, 100, 0);
    if (bytes >= MAGIC.length && header.toString('latin1', 0, MAGIC.length) !== MAGIC)
      throw new LogRefusedError('ERR_FILE_FOREIGN', `${name} is not an SQLite file: move it away, or name another data folder.`);
    const sizeField = header.readUInt16BE(16);
    const pageSize = sizeField === 1 ? 65_536 : sizeField;
    const page = Buffer.alloc(pageSize);
    if (bytes < 100 || readSync(fd, page, 0, pageSize, pageSize * (MARKER_PAGE - 1)) < pageSize)
      throw new LogRefusedError('ERR_FILE_TORN', `${name} is cut short: ${mendOf(name)}`);
    return { pageSize, applicationId: header.readUInt32BE(68), format: header.readUInt32BE(60), marker: markerOnPage(page) };
  } finally {
    closeSync(fd);
  }
}

function refuseForeignWal(path: string, name: string, pageSize: number, main: WalMarker): void {
  const wal = readWal(`${path}-wal`);
  if (wal.frames === 0) return;
  const [first] = wal.markers;
  const isOfThisFile = wal.pageSize === pageSize && first?.fileId === main.fileId;
  if (isOfThisFile && (first.previous === main.link || wal.markers.some((marker) => marker.link === main.link))) return;
  const whose = isOfThisFile ? `another copy of ${name}, older or newer than this one` : 'another file';
  throw new LogRefusedError(
    'ERR_FILE_FOREIGN_WAL',
    `${name}-wal belongs to ${whose}. Put back the ${name} it was written with; or, to go on with this ${name} as it is and without what ${name}-wal holds, move ${name}-wal and ${name}-shm away.`,
  );
}
