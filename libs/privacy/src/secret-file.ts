import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeploymentKeyError } from './errors.js';

/**
 * A file of the data folder that only its owner may read; undefined where there is none.
 * @throws DeploymentKeyError `ERR_KEY_INVALID`, `ERR_KEY_FILE_MODE`
 */
export function readSecretFile(dir: string, name: string): string | undefined {
  let file: number;
  try {
    file = openSync(join(dir, name), 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DeploymentKeyError('ERR_KEY_INVALID', `The file ${name} in the data folder cannot be read. Give its owner read access.`, {
      cause,
    });
  }
  try {
    // The open file is judged, not its path: nobody can swap it between the look and the read. Windows has no such modes.
    if (process.platform !== 'win32' && (fstatSync(file).mode & 0o077) !== 0)
      throw new DeploymentKeyError(
        'ERR_KEY_FILE_MODE',
        `The file ${name} in the data folder is open to other users. Close it with: chmod 600 ${name}`,
      );
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EISDIR') throw cause;
    throw new DeploymentKeyError('ERR_KEY_INVALID', `${name} in the data folder is a folder. Put back the file.`, { cause });
  } finally {
    closeSync(file);
  }
}

/** Replaces the file, whole or not at all, and on the disk when it returns. */
export function writeSecretFile(dir: string, name: string, text: string): void {
  const aside = join(dir, `${name}.${process.pid}`);
  const file = openSync(aside, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, join(dir, name));
  syncFolder(dir);
}

export function syncFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
