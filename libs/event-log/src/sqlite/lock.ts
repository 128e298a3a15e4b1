import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LogRefusedError } from '../errors.js';
import { makeFolder } from './make-folder.js';
import { sqliteCodeOf } from './sqlite-code.js';

export interface WriterLock {
  release(): void;
}

const another = (what: string) =>
  `Another doorledger process ${what} this data folder: stop it, or name another folder (setting \`data\`, DOORLEDGER_DATA).`;

const locks = {
  log: { file: 'writer.lock', inUse: another('writes to') },
  ledger: { file: 'ledger.lock', inUse: another('writes the ledger of') },
  replay: { file: 'replay.lock', inUse: 'Another replay or verify of this data folder is at work: wait for its end.' },
} as const;

/**
 * One writer at a time for a data folder's log, one for its ledger, and one that builds a ledger beside it (K14). The lock is an exclusive transaction on a file of
 * its own: the operating system ends it with the process, however that ends, and no reader ever meets it.
 * @throws LogRefusedError `ERR_DATA_IN_USE`, `ERR_DATA_UNWRITABLE`, `ERR_DISK_FULL`, `ERR_FILE_FOREIGN`
 */
export function acquireWriterLock(dir: string, of: keyof typeof locks = 'log'): WriterLock {
  const { file, inUse } = locks[of];
  let db: Database.Database | undefined;
  try {
    makeFolder(dir);
    db = new Database(join(dir, file), { timeout: 0 });
    // A file that may only be read takes the transaction and excludes nobody.
    accessSync(join(dir, file), constants.W_OK);
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const code = sqliteCodeOf(error) ?? (error as NodeJS.ErrnoException).code ?? '';
    const refuse = (named: string, sentence: string) => new LogRefusedError(named, sentence, { cause: error });
    if (code.startsWith('SQLITE_BUSY')) throw refuse('ERR_DATA_IN_USE', inUse);
    if (/^(SQLITE_FULL|ENOSPC)/.test(code)) throw refuse('ERR_DISK_FULL', 'There is no space in the data folder: free some on its disk.');
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
      throw refuse('ERR_FILE_FOREIGN', `${file} in the data folder is something else: move it away, or name another data folder.`);
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw refuse('ERR_DATA_UNWRITABLE', 'The data folder (setting `data`, DOORLEDGER_DATA) is a file: name a folder.');
    if (code === 'ENOENT')
      throw refuse(
        'ERR_DATA_UNWRITABLE',
        'The data folder (setting `data`, DOORLEDGER_DATA) cannot be made where it is to be: name another.',
      );
    throw refuse('ERR_DATA_UNWRITABLE', 'The data folder (setting `data`, DOORLEDGER_DATA) cannot be written: check its rights.');
  }
  const held = db;
  return { release: () => void (held.open && held.close()) };
}
