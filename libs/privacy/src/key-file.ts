import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@doorledger/event-log';
import { deploymentKeyOf, parseDeploymentKey, type DeploymentKey } from './deployment-key.js';
import { DeploymentKeyError } from './errors.js';
import { KEY_BYTES } from './secret.js';
import { readSecretFile, syncFolder } from './secret-file.js';
import { wrappingKeys } from './wrapping-keys.js';

export const KEY_FILE = 'deployment.key';

export interface DeploymentKeySource {
  /** The setting's value (`DOORLEDGER_KEY`): 32 bytes in hex or base64. When given, no file is looked at. */
  readonly configured?: string;
  /** The setting `DOORLEDGER_WRAPPING_KEYS`: see `wrappingKeys`. */
  readonly wrapping?: string;
  /** The data folder. */
  readonly dir: string;
  /** Whether a missing key file is made: only where nothing was written under another key yet. */
  readonly mayCreate: boolean;
}

/**
 * The deployment key from configuration, else from `deployment.key` in the data folder (X1).
 * @throws DeploymentKeyError `ERR_KEY_INVALID`, `ERR_KEY_FILE_MODE`, `ERR_KEY_MISSING`.
 */
export function loadDeploymentKey({ configured, wrapping, dir, mayCreate }: DeploymentKeySource): DeploymentKey {
  const key =
    configured === undefined
      ? (readKeyFile(dir) ?? (mayCreate ? createKeyFile(dir) : refuseMissing()))
      : parseDeploymentKey(configured, 'DOORLEDGER_KEY');
  return { ...key, wrapping: wrappingKeys(key, { ...(wrapping !== undefined && { configured: wrapping }), dir }) };
}

function refuseMissing(): never {
  throw new DeploymentKeyError(
    'ERR_KEY_MISSING',
    `There is no deployment key, and this data was written under one. Put ${KEY_FILE} back into the data folder or set DOORLEDGER_KEY.`,
  );
}

function readKeyFile(dir: string): DeploymentKey | undefined {
  const text = readSecretFile(dir, KEY_FILE);
  return text === undefined ? undefined : parseDeploymentKey(text, `the file ${KEY_FILE}`);
}

/** Linked into place whole: a crash leaves no half key, and of two first starts at once both use the same one. */
function createKeyFile(dir: string): DeploymentKey {
  makeFolder(dir);
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
