import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

export const KEY_BYTES = 32;

/** Takes over `bytes`: they are wiped, and the key object shows them to no log line or inspector. */
export function secretKey(bytes: Buffer): KeyObject {
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}

/** HKDF-SHA256 of a secret under a label: keys of different labels say nothing about each other. */
export function deriveKey(secret: KeyObject, label: string): KeyObject {
  return secretKey(Buffer.from(hkdfSync('sha256', secret, '', `doorledger/${label}`, KEY_BYTES)));
}
