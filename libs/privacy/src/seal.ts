import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { joinFields } from './fields.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM: nonce ‖ ciphertext ‖ tag. `bound` is not hidden but must be the same when it is opened, so ciphertext moved
 * elsewhere does not open. Nonces are random: one key is good for 2³² seals, far more than a session or a boot makes.
 */
export function sealBytes(key: KeyObject, plaintext: Uint8Array, bound: readonly string[]): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundBytes(bound));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The plaintext, or `undefined` when the key, a byte, or what it was bound to is another. */
export function openBytes(key: KeyObject, sealed: Buffer, bound: readonly string[]): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(boundBytes(bound))
    .setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
  try {
    return Buffer.concat([plaintext, decipher.final()]);
  } catch {
    return undefined;
  }
}

const boundBytes = (bound: readonly string[]) => Buffer.from(joinFields(bound), 'utf16le');
