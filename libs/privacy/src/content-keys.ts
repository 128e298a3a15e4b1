import { randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DeploymentKey } from './deployment-key.js';
import { ContentError, DeploymentKeyError } from './errors.js';
import { ownerName, type KeyOwner, type KeyStore, type WrappedKey } from './key-store.js';
import { openBytes, sealBytes } from './seal.js';
import { KEY_BYTES, secretKey } from './secret.js';

export interface ContentKey {
  readonly keyId: string;
  readonly key: KeyObject;
}

interface Asked {
  readonly owner: KeyOwner;
  readonly resolve: (key: ContentKey) => void;
  readonly reject: (error: unknown) => void;
}

/** Unwrapped keys held in memory; one more costs a read of the store. */
const CACHED_KEYS = 10_000;

/**
 * The content keys of X1. A key is used only after it was read back from the store, so of two hosts that meet a session at
 * once both use the stored one. Everything asked for in one turn of the event loop is one read and at most one write.
 */
export class ContentKeys {
  readonly #wrapping: KeyObject;
  readonly #byOwner = new LRUCache<string, ContentKey>({ max: CACHED_KEYS });
  readonly #byId = new LRUCache<string, ContentKey>({ max: CACHED_KEYS });
  readonly #underWay = new Map<string, Promise<ContentKey>>();
  #asked: Asked[] = [];

  constructor(
    deployment: Pick<DeploymentKey, 'wrapping'>,
    private readonly store: KeyStore,
  ) {
    this.#wrapping = deployment.wrapping;
  }

  /**
   * The owner's key, made on first use and durable when it resolves.
   * @throws DeploymentKeyError `ERR_KEY_MISMATCH`: the stored key was wrapped under another deployment key.
   */
  keyFor(owner: KeyOwner): Promise<ContentKey> {
    const name = ownerName(owner);
    const known = this.#byOwner.get(name);
    if (known) return Promise.resolve(known);
    const underWay = this.#underWay.get(name);
    if (underWay) return underWay;
    const asked = new Promise<ContentKey>((resolve, reject) => {
      if (this.#asked.push({ owner, resolve, reject }) === 1) setImmediate(() => void this.#answer());
    }).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, asked);
    return asked;
  }

  /**
   * The key some content names.
   * @throws ContentError `ERR_CONTENT_KEY_LOST`; DeploymentKeyError `ERR_KEY_MISMATCH`.
   */
  async keyById(keyId: string): Promise<ContentKey> {
    const known = this.#byId.get(keyId);
    if (known) return known;
    return this.#unwrap(await this.store.byId(keyId));
  }

  /** Deletes the owner's key; what was sealed under it can never be read again (X2). Resolves to whether there was one. */
  async destroy(owner: KeyOwner): Promise<boolean> {
    const name = ownerName(owner);
    await this.#underWay.get(name)?.catch(() => undefined);
    const known = this.#byOwner.get(name);
    this.#byOwner.delete(name);
    if (known) this.#byId.delete(known.keyId);
    return this.store.destroy(owner);
  }

  async #answer(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const rows = await this.#rowsOf(asked.map((a) => a.owner));
      for (const { owner, resolve, reject } of asked) {
        try {
          resolve(this.#unwrap(rows.get(ownerName(owner))));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  async #rowsOf(owners: readonly KeyOwner[]): Promise<Map<string, WrappedKey>> {
    const rows = new Map<string, WrappedKey>();
    for (const row of await this.store.byOwner(owners)) rows.set(ownerName(row.owner), row);
    const fresh = owners.filter((owner) => !rows.has(ownerName(owner))).map((owner) => this.#newRow(owner));
    if (fresh.length > 0) for (const row of await this.store.insertIfAbsent(fresh)) rows.set(ownerName(row.owner), row);
    return rows;
  }

  #newRow(owner: KeyOwner): WrappedKey {
    const keyId = randomUUID();
    const bytes = randomBytes(KEY_BYTES);
    const wrapped = sealBytes(this.#wrapping, bytes, boundTo(keyId, owner));
    bytes.fill(0);
    return { keyId, owner, wrapped };
  }

  #unwrap(row: WrappedKey | undefined): ContentKey {
    if (!row)
      throw new ContentError(
        'ERR_CONTENT_KEY_LOST',
        'The key of this content is not in the key store: it was erased, or the store is older than the log. Restore the keys from a backup made with this log or later.',
      );
    const { keyId, owner, wrapped } = row;
    const bytes = openBytes(this.#wrapping, wrapped, boundTo(keyId, owner));
    if (!bytes)
      throw new DeploymentKeyError(
        'ERR_KEY_MISMATCH',
        'A content key does not open under this deployment key. Start with the deployment key that these files were written under.',
      );
    const key = { keyId, key: secretKey(bytes) };
    this.#byOwner.set(ownerName(owner), key);
    this.#byId.set(keyId, key);
    return key;
  }
}

const boundTo = (keyId: string, { kind, ref }: KeyOwner) => ['content key', keyId, kind, ref];
