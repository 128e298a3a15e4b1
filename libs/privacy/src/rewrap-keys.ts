import type { DeploymentKey } from './deployment-key.js';
import type { KeyStore, Rewrapped } from './key-store.js';
import { keyMismatch, unwrapKey, wrapKey } from './wrapped-key.js';

export interface RewrapOptions {
  readonly keys: Pick<KeyStore, 'page' | 'count' | 'rewrap'>;
  readonly wrapping: DeploymentKey['wrapping'];
  readonly onProgress?: (done: number, total: number) => void;
}

/** One commit, and what a process that is killed has to do again at most. */
const BATCH = 500;

/**
 * Wraps every content key under the first of the wrapping keys (X1); durable when it resolves, to how many were wrapped under another one.
 * Hosts that know all of these keys may go on meanwhile. What an interrupted run has done is not done again.
 * @throws DeploymentKeyError `ERR_KEY_MISMATCH`: a key opens under none of them
 */
export async function rewrapKeys({ keys, wrapping, onProgress }: RewrapOptions): Promise<number> {
  let rewrapped = 0;
  for (;;) {
    const changed = await pass({ keys, wrapping, onProgress });
    rewrapped += changed;
    // A host that does not know yet which one is first may have added some behind the reading.
    if (changed === 0) return rewrapped;
  }
}

async function pass({ keys, wrapping, onProgress }: RewrapOptions): Promise<number> {
  const [first, ...others] = wrapping;
  const total = await keys.count();
  let [seen, changed, after] = [0, 0, ''];
  for (let page = await keys.page(after, BATCH); page.length > 0; page = await keys.page(after, BATCH)) {
    const changes: Rewrapped[] = [];
    for (const key of page) {
      if (unwrapKey([first!], key)?.fill(0)) continue;
      const bytes = unwrapKey(others, key);
      if (!bytes) throw keyMismatch();
      changes.push({ keyId: key.keyId, from: key.wrapped, to: wrapKey(first!, bytes, key) });
      bytes.fill(0);
    }
    if (changes.length > 0) await keys.rewrap(changes);
    changed += changes.length;
    seen += page.length;
    after = page.at(-1)!.keyId;
    onProgress?.(seen, Math.max(total, seen));
  }
  return changed;
}
