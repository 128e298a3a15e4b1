import { createHmac, type KeyObject } from 'node:crypto';
import { DeploymentKeyError } from './errors.js';
import { KEY_BYTES, deriveKey, secretKey } from './secret.js';

/** What the deployment key is used for; the key itself is kept nowhere. */
export interface DeploymentKey {
  /** Makes references (O8), tool session hashes (T3) and idempotency keys; stays the same for the life of a log. */
  readonly reference: KeyObject;
  /** Wrap content keys (X1): the first wraps, and each of them opens. */
  readonly wrapping: readonly KeyObject[];
  /** Hosts of one deployment know each other by it (L6). */
  readonly peers: KeyObject;
  /** Seals the cookies of people who signed in, so that every process of the deployment opens them (P1). */
  readonly signIn: KeyObject;
  /** 64 hex that the log's genesis record carries: another key is noticed at start, and this one is not told (K8). */
  readonly check: string;
}

const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/**
 * Reads 32 bytes written as 64 hex digits or as base64, plain or URL-safe.
 * @throws DeploymentKeyError `ERR_KEY_INVALID`; `where` tells the reader which setting or file to mend.
 */
export const parseDeploymentKey = (text: string, where: string): DeploymentKey => deploymentKeyOf(parseSecret(text, where));

/** @throws DeploymentKeyError `ERR_KEY_INVALID` */
export function parseSecret(text: string, where: string): Buffer {
  const written = text.trim();
  const bytes = HEX.test(written) ? Buffer.from(written, 'hex') : BASE64.test(written) ? Buffer.from(written, 'base64') : undefined;
  if (bytes?.length !== KEY_BYTES)
    throw new DeploymentKeyError(
      'ERR_KEY_INVALID',
      `The key in ${where} is not 32 bytes written as 64 hex digits or as base64. Put back the one the data was written under; for new data, make one with: openssl rand -base64 32`,
    );
  return bytes;
}

/** The key that wraps content keys, of a secret that is used for nothing else or of the deployment key. */
export const wrappingKeyOf = (secret: KeyObject): KeyObject => deriveKey(secret, 'wrapping/1');

/** Derives the working keys from the 32 bytes and wipes them. */
export function deploymentKeyOf(bytes: Buffer): DeploymentKey {
  const root = secretKey(bytes);
  return {
    reference: deriveKey(root, 'reference'),
    wrapping: [wrappingKeyOf(root)],
    peers: deriveKey(root, 'peers/1'),
    signIn: deriveKey(root, 'sign-in/1'),
    check: createHmac('sha256', deriveKey(root, 'check')).update('doorledger deployment key').digest('hex'),
  };
}
