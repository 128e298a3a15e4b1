import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { LogRefusedError } from '../errors.js';
import { namedFileError, openForCopy, syncFolder } from './file.js';
import { makeFolder } from './make-folder.js';
import { refuseDamaged, verifySqliteLog } from './verify.js';

const STEP_PAGES = 2_000;

export interface BackupProgress {
  readonly file: string;
  readonly copiedPages: number;
  readonly totalPages: number;
}

export interface BackupOptions {
  /** The data folder, in use or not. */
  readonly dir: string;
  /** A folder that is not there yet, or empty. */
  readonly to: string;
  readonly onProgress?: (progress: BackupProgress) => void;
}

/**
 * A checked copy of a data folder's SQLite files (K14). Ledgers and webhooks are copied before the log, so that none is newer than the log, and
 * keys after it, so that every key the log speaks of is there. The copy is made aside, checked whole, and renamed.
 * @returns the names of the files copied
 * @throws LogRefusedError `ERR_BACKUP_TARGET`, `ERR_FILE_MISSING`, `ERR_FILE_TORN`, `ERR_LOG_CORRUPT`
 */
export async function backupSqlite({ dir, to, onProgress = () => {} }: BackupOptions): Promise<string[]> {
  const target = resolve(to);
  refuseUsedTarget(target);
  if (!existsSync(join(dir, 'log.db'))) throw new LogRefusedError('ERR_FILE_MISSING', 'The data folder (setting `data`) holds no log.db.');
  const aside = `${target}.partial`;
  inFolder(() => {
    rmSync(aside, { recursive: true, force: true });
    makeFolder(aside);
  });
  try {
    const pointer = join(dir, 'ledger.current');
    if (existsSync(pointer)) copyFileSync(pointer, join(aside, 'ledger.current'));
    const names = readdirSync(dir)
      .filter((name) => name.endsWith('.db'))
      .sort((a, b) => turnOf(a) - turnOf(b) || a.localeCompare(b));
    for (const name of names) await copyDatabase(join(dir, name), join(aside, name), onProgress);
    await verifySqliteLog(aside);
    for (const name of names) for (const suffix of ['-wal', '-shm']) rmSync(join(aside, name + suffix), { force: true });
    syncFolder(aside);
    if (existsSync(target)) rmdirSync(target);
    renameSync(aside, target);
    syncFolder(dirname(target));
    return names;
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw error;
  }
}

const turnOf = (name: string): number => (name === 'log.db' ? 1 : /^(ledger|webhooks)/.test(name) ? 0 : 2);

function refuseUsedTarget(target: string): void {
  const found = inFolder(() => statSync(target, { throwIfNoEntry: false }));
  if (found && (!found.isDirectory() || readdirSync(target).length > 0))
    throw new LogRefusedError('ERR_BACKUP_TARGET', 'The folder to back up into is not empty, or is a file: name a new one.');
}

function inFolder<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new LogRefusedError('ERR_BACKUP_TARGET', 'The folder to back up into cannot be made: check the rights of the one above it.', {
      cause,
    });
  }
}

/** One read transaction holds for the whole copy: without it SQLite begins anew whenever somebody writes. */
async function copyDatabase(from: string, to: string, onProgress: (progress: BackupProgress) => void): Promise<void> {
  const file = basename(from);
  const source = openForCopy(from);
  try {
    source.db.exec('BEGIN');
    source.db.prepare('SELECT count(*) FROM sqlite_schema').get();
    const { totalPages: copied } = await source.db.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ file, copiedPages: totalPages - remainingPages, totalPages });
        return STEP_PAGES;
      },
    });
    onProgress({ file, copiedPages: copied, totalPages: copied });
  } catch (error) {
    throw namedFileError(error, from);
  } finally {
    source.close();
  }
  const copy = new Database(to, { readonly: true, fileMustExist: true });
  try {
    refuseDamaged(copy, to);
  } finally {
    copy.close();
  }
}
