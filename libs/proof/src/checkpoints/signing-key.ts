import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '@doorledger/event-log';
import { ProofError } from '../errors.js';

/** What signs checkpoints: Ed25519. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** SHA-256 in hex of a public key's SubjectPublicKeyInfo (DER), as `openssl pkey -pubin -outform DER | sha256sum` says it. */
export const keyIdOf = (publicKey: KeyObject): string => hash('sha256', publicKey.export({ type: 'spki', format: 'der' }));

export const publicPem = (publicKey: KeyObject): string => publicKey.export({ type: 'spki', format: 'pem' }) as string;

/**
 * The private key in a PEM file (PKCS #8); a missing file is made once, with mode 0600.
 * @throws ProofError `ERR_CHECKPOINT_KEY`, `ERR_CHECKPOINT_KEY_MODE`; what the file system says where the file cannot be made
 */
export function loadSigningKey(file: string): SigningKey {
  return readKey(file) ?? createKey(file);
}

/** @throws ProofError `ERR_CHECKPOINT_KEY` */
export function readPublicKeys(file: string, pem: string): KeyObject[] {
  try {
    const keys = (pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []).map((one) => createPublicKey(one));
    if (keys.length > 0 && keys.every(isEd25519)) return keys;
  } catch {
    // The same sentence as for a file without a key.
  }
  throw new ProofError('ERR_CHECKPOINT_KEY', `${file} holds no Ed25519 public key in PEM: name the file that the deployment published.`);
}

const isEd25519 = (key: KeyObject): boolean => key.asymmetricKeyType === 'ed25519';

function readKey(file: string): SigningKey | undefined {
  let opened: number;
  try {
    opened = openSync(file, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(file, cause);
  }
  try {
    // The open file is judged, not its path. Windows has no such modes.
    if (process.platform !== 'win32' && (fstatSync(opened).mode & 0o077) !== 0)
      throw new ProofError('ERR_CHECKPOINT_KEY_MODE', `The key file ${file} is open to other users. Close it with: chmod 600 ${file}`);
    return keyOf(createPrivateKey(readFileSync(opened, 'utf8')), file);
  } catch (error) {
    throw error instanceof ProofError ? error : unreadable(file, error);
  } finally {
    closeSync(opened);
  }
}

function keyOf(privateKey: KeyObject, file: string): SigningKey {
  if (!isEd25519(privateKey)) throw unreadable(file, undefined);
  const publicKey = createPublicKey(privateKey);
  return { id: keyIdOf(publicKey), privateKey, publicKey };
}

/** Linked into place whole: a crash leaves no half key, and of two first starts at once both use the same one. */
function createKey(file: string): SigningKey {
  makeFolder(dirname(file));
  const { privateKey } = generateKeyPairSync('ed25519');
  const aside = `${file}.${process.pid}`;
  const opened = openSync(aside, 'w', 0o600);
  try {
    writeFileSync(opened, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    fsyncSync(opened);
    linkSync(aside, file);
    return keyOf(privateKey, file);
  } catch (error) {
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readKey(file) : undefined;
    if (!other) throw error;
    return other;
  } finally {
    closeSync(opened);
    rmSync(aside, { force: true });
  }
}

const unreadable = (file: string, cause: unknown): ProofError =>
  new ProofError(
    'ERR_CHECKPOINT_KEY',
    `The key file ${file} cannot be read, or holds no Ed25519 private key in PEM: put back the one that was used, or make one with: openssl genpkey -algorithm ed25519 -out ${file}`,
    { cause },
  );
