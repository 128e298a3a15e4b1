import type { KeyObject } from 'node:crypto';
import { DeploymentKeyError } from './errors.js';
import type { KeyOwner, WrappedKey } from './key-store.js';
import { openBytes, sealBytes } from './seal.js';

type Named = Pick<WrappedKey, 'keyId' | 'owner'>;

const boundTo = ({ keyId, owner: { kind, ref } }: { readonly keyId: string; readonly owner: KeyOwner }) => [
  'content key',
  keyId,
  kind,
  ref,
];

/** A content key's 32 bytes, encrypted under a wrapping key and bound to its id and owner. */
export const wrapKey = (wrapping: KeyObject, bytes: Buffer, key: Named): Buffer => sealBytes(wrapping, bytes, boundTo(key));

/** The 32 bytes, by the first of the wrapping keys that opens them; undefined where none does. */
export function unwrapKey(wrapping: readonly KeyObject[], key: WrappedKey): Buffer | undefined {
  for (const one of wrapping) {
    const bytes = openBytes(one, key.wrapped, boundTo(key));
    if (bytes) return bytes;
  }
  return undefined;
}

export const keyMismatch = (): DeploymentKeyError =>
  new DeploymentKeyError(
    'ERR_KEY_MISMATCH',
    'A content key does not open under the deployment key or the wrapping keys given. Start with those that this data was written under: after a rotation, wrapping.key (or DOORLEDGER_WRAPPING_KEYS) belongs to them.',
  );
