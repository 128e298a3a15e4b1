import { randomBytes, type KeyObject } from 'node:crypto';
import { parseSecret, wrappingKeyOf, type DeploymentKey } from './deployment-key.js';
import { KEY_BYTES, secretKey } from './secret.js';
import { readSecretFile, writeSecretFile } from './secret-file.js';

const WRAPPING_FILE = 'wrapping.key';
const SETTING = 'DOORLEDGER_WRAPPING_KEYS';

/** In a list of wrapping keys it stands for the one that is made of the deployment key: what wraps until the first rotation. */
const OF_DEPLOYMENT = 'deployment';

export interface WrappingSource {
  /** Keys of 32 bytes or the word `deployment`, apart by commas. When given, no file is looked at. */
  readonly configured?: string;
  /** The data folder; its `wrapping.key` lists them a line each. */
  readonly dir: string;
}

/**
 * What wraps content keys (X1): the first of the list wraps, each of them opens.
 * @throws DeploymentKeyError `ERR_KEY_INVALID`, `ERR_KEY_FILE_MODE`
 */
export function wrappingKeys({ wrapping }: Pick<DeploymentKey, 'wrapping'>, { configured, dir }: WrappingSource): readonly KeyObject[] {
  const where = configured === undefined ? `the file ${WRAPPING_FILE}` : SETTING;
  const listed = configured?.split(',') ?? linesIn(dir);
  if (listed.length === 0) return wrapping;
  return listed.flatMap((one) => (one.trim() === OF_DEPLOYMENT ? wrapping : [wrappingKeyOf(secretKey(parseSecret(one, where)))]));
}

/**
 * Puts a new wrapping key before the ones there are, which go on opening. A rotation that did not end is gone on with, under its own key.
 * @throws DeploymentKeyError as `wrappingKeys`
 */
export function beginRotation(dir: string): void {
  const former = linesIn(dir);
  if (former.length > 1) return;
  const fresh = randomBytes(KEY_BYTES);
  write(dir, [fresh.toString('base64'), ...(former.length > 0 ? former : [OF_DEPLOYMENT])]);
  fresh.fill(0);
}

/** Every content key is wrapped under the first one: the others open nothing any more, and are let go. */
export function endRotation(dir: string): void {
  write(dir, linesIn(dir).slice(0, 1));
}

const linesIn = (dir: string): string[] => (readSecretFile(dir, WRAPPING_FILE) ?? '').split('\n').filter((line) => line.trim() !== '');

const write = (dir: string, lines: readonly string[]): void => writeSecretFile(dir, WRAPPING_FILE, `${lines.join('\n')}\n`);
