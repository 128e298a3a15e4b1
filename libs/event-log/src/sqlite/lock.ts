import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LogRefusedError } from '../errors.js';
import { sqliteCodeOf } from './sqlite-code.js';

export interface WriterLock {
  release(): void;
}

/**
 * One writer at a time for a data folder's log, and one for its ledger (K14). The lock is an exclusive transaction on a file of
 * its own: the operating system ends it with the process, however that ends, and no reader ever meets it.
 * @throws LogRefusedError `ERR_DATA_IN_USE`, `ERR_DATA_UNWRITABLE`
 */
export function acquireWriterLock(dir: string, of: 'log' | 'ledger' = 'log'): WriterLock {
  let db: Database.Database | undefined;
  try {
    mkdirSync(dir, { recursive: true });
    db = new Database(join(dir, of === 'log' ? 'writer.lock' : 'ledger.lock'), { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    if (sqliteCodeOf(error)?.startsWith('SQLITE_BUSY'))
      throw new LogRefusedError(
        'ERR_DATA_IN_USE',
        'Another doorledger process writes to this data folder: stop it, or name another folder (setting `data`, DOORLEDGER_DATA).',
      );
    throw new LogRefusedError(
      'ERR_DATA_UNWRITABLE',
      'The data folder (setting `data`, DOORLEDGER_DATA) cannot be written: check its rights.',
      {
        cause: error,
      },
    );
  }
  const held = db;
  return { release: () => void (held.open && held.close()) };
}
