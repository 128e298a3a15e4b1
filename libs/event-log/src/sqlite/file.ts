import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { LogRefusedError } from '../errors.js';
import { type FileKind, applicationIds, mendOf, refuseForeignFile, refuseMixedPair } from './file-guard.js';
import { type Connection, SqliteFile } from './sqlite-file.js';
import { sqliteCodeOf } from './sqlite-code.js';
import { MARKER_TABLE, firstMarker, markerText } from './wal-marker.js';

export interface SqliteFileOptions extends Connection {
  readonly kind: FileKind;
  /** Kept as `user_version`; a file of another format is refused. */
  readonly format: number;
  /** Makes the tables of a new file, inside the transaction that makes the file. Without it a missing file is refused. */
  readonly create?: (db: Database.Database) => void;
}

/** How often each file is open in this process: the guard reads a file raw, which must not happen while it is (see file-guard). */
const openHere = new Map<string, number>();

/**
 * Opens one of the product's SQLite files (K14): a writer makes a missing one, whole or not at all. One writer per file at a time
 * is the caller's promise (acquireWriterLock); any number of readers stand beside it, and none ever checkpoints.
 * @throws LogRefusedError `ERR_FILE_MISSING`, `ERR_FILE_FOREIGN`, `ERR_FILE_TORN`, `ERR_FILE_NEWER`, `ERR_FILE_OLDER`,
 * `ERR_FILE_FOREIGN_WAL`, `ERR_DISK_FULL`, `ERR_DATA_UNWRITABLE`
 */
export function openSqliteFile(path: string, options: SqliteFileOptions): SqliteFile {
  const file = resolve(path);
  try {
    if (!existsSync(file)) makeMissing(file, options);
    // SQLite itself would open a file that may not be written for reading, without a word.
    if (options.role === 'writer') accessSync(file, constants.W_OK);
    guard(file, options.role, () => refuseForeignFile(file, options.kind, options.format));
    const opened = new SqliteFile(file, options, () => leave(file));
    enter(file);
    return opened;
  } catch (error) {
    throw namedFileError(error, file);
  }
}

function makeMissing(file: string, options: SqliteFileOptions): void {
  if (options.role === 'reader' || !options.create)
    throw new LogRefusedError('ERR_FILE_MISSING', `${basename(file)} is not there yet: start doorledger on this data folder first.`);
  createFile(file, options, options.create);
}

/** Opens any SQLite file of a data folder for reading, to copy it. `close` is the caller's. */
export function openForCopy(path: string): { readonly db: Database.Database; close(): void } {
  const file = resolve(path);
  guard(file, 'reader', () => refuseMixedPair(file));
  const db = new Database(file, { readonly: true, fileMustExist: true });
  enter(file);
  const close = (): void => {
    db.close();
    leave(file);
  };
  return { db, close };
}

/** Beside a running writer the pair may change between two looks: only a verdict that stays is one. */
function guard(file: string, role: Connection['role'], refuse: () => void): void {
  if (openHere.has(file)) return;
  for (let looks = role === 'reader' ? 3 : 1; ; looks--) {
    try {
      return refuse();
    } catch (error) {
      if (looks <= 1) throw error;
    }
  }
}

function enter(file: string): void {
  openHere.set(file, (openHere.get(file) ?? 0) + 1);
}

function leave(file: string): void {
  const left = (openHere.get(file) ?? 1) - 1;
  if (left > 0) openHere.set(file, left);
  else openHere.delete(file);
}

/** Written aside and renamed, so that a file that is there is whole and says what it is. */
function createFile(file: string, { kind, format }: SqliteFileOptions, create: (db: Database.Database) => void): void {
  const aside = `${file}.new`;
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(aside + suffix, { force: true });
  const db = new Database(aside);
  try {
    db.pragma('synchronous = FULL');
    db.exec('BEGIN');
    db.pragma(`application_id = ${applicationIds[kind]}`);
    db.pragma(`user_version = ${format}`);
    db.exec(MARKER_TABLE);
    db.prepare('INSERT INTO file_marker VALUES (1, ?)').run(markerText(firstMarker(randomUUID())));
    create(db);
    db.exec('COMMIT');
    db.pragma('journal_mode = WAL');
  } finally {
    db.close();
  }
  renameSync(aside, file);
  syncFolder(dirname(file));
}

/** Makes a rename durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What SQLite or the file system says of a file, as one sentence of the product's; any other error as it is. */
export function namedFileError(error: unknown, path: string): unknown {
  const name = basename(path);
  const code = sqliteCodeOf(error) ?? (error as NodeJS.ErrnoException).code ?? '';
  const as = (named: string, sentence: string): LogRefusedError => new LogRefusedError(named, sentence, { cause: error });
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return as('ERR_FILE_TORN', `${name} is damaged: ${mendOf(name)}`);
  if (code === 'EISDIR') return as('ERR_FILE_FOREIGN', `${name}, or its -wal, is a folder: move it away, or name another data folder.`);
  if (/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)/.test(code))
    return as('ERR_DISK_FULL', `There is no space for ${name}: free some on the disk of the data folder.`);
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|IOERR)|EACCES|EPERM|EROFS)/.test(code))
    return as(
      'ERR_DATA_UNWRITABLE',
      `${name} cannot be opened or written: check the rights and the disk of the data folder (setting \`data\`, DOORLEDGER_DATA).`,
    );
  return error;
}
