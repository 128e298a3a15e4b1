/** Whose content a key seals: a session's, a person's names, or a host boot's turns that have neither. */
export interface KeyOwner {
  readonly kind: 'session' | 'person' | 'boot';
  /** sessionRef, userRef or bootId. */
  readonly ref: string;
}

/** A content key as it is stored: encrypted under the deployment's wrapping key. */
export interface WrappedKey {
  /** UUID; sealed content names its key by it. */
  readonly keyId: string;
  readonly owner: KeyOwner;
  /** 60 bytes: nonce ‖ encrypted key ‖ tag. */
  readonly wrapped: Buffer;
}

export interface Rewrapped {
  readonly keyId: string;
  readonly from: Buffer;
  readonly to: Buffer;
}

/** What is left of a key that was destroyed (X2). */
export type ErasedKey = Pick<WrappedKey, 'keyId'> & { readonly kind: string; readonly ref: string };

/** Where content keys lie, outside the log and outside every ledger generation (X1). One contract suite for all. */
export interface KeyStore {
  /**
   * Stores each row whose owner has none yet. Durable when it resolves; answers, read back from the store, the row that
   * stands for each owner in the order given, without the sessions that were erased. Owners of one call are distinct.
   */
  insertIfAbsent(rows: readonly WrappedKey[]): Promise<WrappedKey[]>;
  byId(keyId: string): Promise<WrappedKey | undefined>;
  /** The stored rows of these owners, in any order; an owner without one is left out. */
  byOwner(owners: readonly KeyOwner[]): Promise<WrappedKey[]>;
  /** Whether a key of this id was ever stored here, also when it is destroyed by now. */
  knows(keyId: string): Promise<boolean>;
  /**
   * Deletes the owner's key (X2); when it resolves, the store's files no longer hold its bytes. A session never gets another one: a host
   * that has not heard yet cannot seal what somebody could read. A person who comes back does. Resolves to whether there was one.
   * @throws ContentError `ERR_ERASE_INCOMPLETE`: deleted, but its bytes are still there; call again
   */
  destroy(owner: KeyOwner): Promise<boolean>;
  /** Up to `limit` keys whose ids come after `after`, in the order of their ids. */
  page(after: string, limit: number): Promise<WrappedKey[]>;
  /** The same of keys that were destroyed. */
  erased(after: string, limit: number): Promise<ErasedKey[]>;
  /** Knows of keys that were destroyed elsewhere, as if it had been here; durable when it resolves. */
  learnErased(keys: readonly ErasedKey[]): Promise<void>;
  count(): Promise<number>;
  /** Wraps keys anew, durable when it resolves. A key that is not as `from` says any more stays as it is. */
  rewrap(changes: readonly Rewrapped[]): Promise<void>;
  close(): Promise<void>;
}

export const ownerName = ({ kind, ref }: KeyOwner): string => `${kind}/${ref}`;
