import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deploymentKeyOf, parseDeploymentKey, type DeploymentKey } from './deployment-key.js';
import { DeploymentKeyError } from './errors.js';
import { KEY_BYTES } from './secret.js';

export const KEY_FILE = 'deployment.key';

export interface DeploymentKeySource {
  /** The setting's value (`DOORLEDGER_KEY`): 32 bytes in hex or base64. When given, no file is looked at. */
  readonly configured?: string;
  /** The data folder. */
  readonly dir: string;
  /** Whether a missing key file is made: only where nothing was written under another key yet. */
  readonly mayCreate: boolean;
}

/**
 * The deployment key from configuration, else from `deployment.key` in the data folder (X1).
 * @throws DeploymentKeyError `ERR_KEY_INVALID`, `ERR_KEY_FILE_MODE`, `ERR_KEY_MISSING`.
 */
export function loadDeploymentKey({ configured, dir, mayCreate }: DeploymentKeySource): DeploymentKey {
  if (configured !== undefined) return parseDeploymentKey(configured, 'DOORLEDGER_KEY');
  return readKeyFile(dir) ?? (mayCreate ? createKeyFile(dir) : refuseMissing());
}

function refuseMissing(): never {
  throw new DeploymentKeyError(
    'ERR_KEY_MISSING',
    `There is no deployment key, and this data was written under one. Put ${KEY_FILE} back into the data folder or set DOORLEDGER_KEY.`,
  );
}

function readKeyFile(dir: string): DeploymentKey | undefined {
  let file: number;
  try {
    file = openSync(join(dir, KEY_FILE), 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DeploymentKeyError('ERR_KEY_INVALID', `The file ${KEY_FILE} in the data folder cannot be read. Give its owner read access.`, {
      cause,
    });
  }
  try {
    // The open file is judged, not its path: nobody can swap it between the look and the read. Windows has no such modes.
    if (process.platform !== 'win32' && (fstatSync(file).mode & 0o077) !== 0)
      throw new DeploymentKeyError(
        'ERR_KEY_FILE_MODE',
        `The file ${KEY_FILE} in the data folder is open to other users. Close it with: chmod 600 ${KEY_FILE}`,
      );
    return parseDeploymentKey(readFileSync(file, 'utf8'), `the file ${KEY_FILE}`);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EISDIR') throw cause;
    throw new DeploymentKeyError('ERR_KEY_INVALID', `${KEY_FILE} in the data folder is a folder. Put back the file.`, { cause });
  } finally {
    closeSync(file);
  }
}

/** Linked into place whole: a crash leaves no half key, and of two first starts at once both use the same one. */
function createKeyFile(dir: string): DeploymentKey {
  mkdirSync(dir, { recursive: true });
  const bytes = randomBytes(KEY_BYTES);
  const aside = join(dir, `${KEY_FILE}.${process.pid}`);
  const file = openSync(aside, 'w', 0o600);
  try {
    writeFileSync(file, `${bytes.toString('base64')}\n`);
    fsyncSync(file);
    linkSync(aside, join(dir, KEY_FILE));
    syncFolder(dir);
    return deploymentKeyOf(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readKeyFile(dir) ?? refuseMissing();
  } finally {
    closeSync(file);
    rmSync(aside, { force: true });
  }
}

function syncFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
