import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { ContentError } from './errors.js';
import type { DeploymentKey } from './deployment-key.js';
import type { KeyStore } from './key-store.js';
import { keyMismatch, unwrapKey } from './wrapped-key.js';

/**
 * Refuses a store of content keys that does not belong to the log. A content key is durable before the record it seals: a newest sealed
 * record without its key means that the key store is older than the log. Going on would give its sessions new keys, and the right store, put back later, would not open what they seal (X1).
 * One that does not open was wrapped under another key.
 * @throws ContentError `ERR_KEYS_OLDER`; DeploymentKeyError `ERR_KEY_MISMATCH`
 */
export async function refuseOtherKeys(
  log: EventLog,
  keys: Pick<KeyStore, 'byId' | 'knows'>,
  { wrapping }: Pick<DeploymentKey, 'wrapping'>,
): Promise<void> {
  const { name } = topics.private;
  const ranges = await log.ends(name);
  await Promise.all(
    ranges.map(async ({ start, end }, partition) => {
      if (end === start) return;
      const record = await log.recordAt({ topic: name, partition, offset: end - 1 });
      const keyId = record?.decoded.body?.data.keyId;
      if (typeof keyId !== 'string') return;
      const key = await keys.byId(keyId);
      if (key && !unwrapKey(wrapping, key)) throw keyMismatch();
      // An erased key is known and gone (X2).
      if (!key && !(await keys.knows(keyId)))
        throw new ContentError(
          'ERR_KEYS_OLDER',
          'The store of content keys is older than the log: the newest content is sealed under a key that it does not have. Put back the keys that belong to this log, from a backup made with it or later.',
        );
    }),
  );
}
