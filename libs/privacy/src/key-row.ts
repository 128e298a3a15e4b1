import type { KeyOwner, WrappedKey } from './key-store.js';

/** A row of the table `content_key`, the same on every engine. */
export interface KeyRow {
  readonly key_id: string;
  readonly kind: KeyOwner['kind'];
  readonly ref: string;
  readonly wrapped: Buffer;
}

export const keyOf = (row: KeyRow): WrappedKey => ({ keyId: row.key_id, owner: { kind: row.kind, ref: row.ref }, wrapped: row.wrapped });
