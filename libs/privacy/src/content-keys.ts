import { randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DeploymentKey } from './deployment-key.js';
import { ContentError } from './errors.js';
import { ownerName, type KeyOwner, type KeyStore, type WrappedKey } from './key-store.js';
import { KEY_BYTES, secretKey } from './secret.js';
import { keyMismatch, unwrapKey, wrapKey } from './wrapped-key.js';

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
  readonly #wrapping: readonly KeyObject[];
  readonly #byOwner = new LRUCache<string, ContentKey>({ max: CACHED_KEYS });
  readonly #byId = new LRUCache<string, ContentKey>({ max: CACHED_KEYS });
  readonly #underWay = new Map<string, Promise<ContentKey>>();
  #asked: Asked[] = [];
  /** Goes up with every key that is dropped: what was read before is not kept after. */
  #drops = 0;

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
    const drops = this.#drops;
    return this.#unwrap(await this.store.byId(keyId), drops);
  }

  /** Whether there is a key of this id, and it was not destroyed. */
  async holds(keyId: string): Promise<boolean> {
    return this.#byId.has(keyId) || (await this.store.byId(keyId)) !== undefined;
  }

  /** Forgets the owner's key here; the store says from then on whether there is one (X2). */
  drop(owner: KeyOwner): void {
    this.#drops++;
    const name = ownerName(owner);
    const known = this.#byOwner.get(name);
    this.#byOwner.delete(name);
    if (known) this.#byId.delete(known.keyId);
  }

  /** Deletes the owner's key; what was sealed under it can never be read again (X2). Resolves to whether there was one. */
  async destroy(owner: KeyOwner): Promise<boolean> {
    const had = await this.store.destroy(owner);
    this.drop(owner);
    return had;
  }

  async #answer(): Promise<void> {
    const asked = this.#asked;
    const drops = this.#drops;
    this.#asked = [];
    try {
      const rows = await this.#rowsOf(asked.map((a) => a.owner));
      for (const { owner, resolve, reject } of asked) {
        try {
          resolve(this.#unwrap(rows.get(ownerName(owner)), drops));
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
    const wrapped = wrapKey(this.#wrapping[0]!, bytes, { keyId, owner });
    bytes.fill(0);
    return { keyId, owner, wrapped };
  }

  /** `drops`: as it was before the row was read. */
  #unwrap(row: WrappedKey | undefined, drops: number): ContentKey {
    if (!row)
      throw new ContentError(
        'ERR_CONTENT_KEY_LOST',
        'The key of this content is not in the key store: it was erased, or the store is older than the log. Restore the keys from a backup made with this log or later.',
      );
    const { keyId, owner } = row;
    const bytes = unwrapKey(this.#wrapping, row);
    if (!bytes) throw keyMismatch();
    const key = { keyId, key: secretKey(bytes) };
    if (drops !== this.#drops) return key;
    this.#byOwner.set(ownerName(owner), key);
    this.#byId.set(keyId, key);
    return key;
  }
}
