import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { ContentError } from './errors.js';
import type { KeyStore } from './key-store.js';

/**
 * A content key is durable before the record it seals: a newest sealed record without its key means that the key store is older than
 * the log. Going on would give its sessions new keys, and the right store, put back later, would not open what they seal (X1).
 * @throws ContentError `ERR_KEYS_OLDER`
 */
export async function refuseOlderKeys(log: EventLog, keys: Pick<KeyStore, 'byId'>): Promise<void> {
  const { name } = topics.private;
  const ranges = await log.ends(name);
  await Promise.all(
    ranges.map(async ({ start, end }, partition) => {
      if (end === start) return;
      const record = await log.recordAt({ topic: name, partition, offset: end - 1 });
      const keyId = record?.decoded.body?.data.keyId;
      if (typeof keyId === 'string' && !(await keys.byId(keyId)))
        throw new ContentError(
          'ERR_KEYS_OLDER',
          'The store of content keys is older than the log: the newest content is sealed under a key that it does not have. Put back the keys that belong to this log, from a backup made with it or later.',
        );
    }),
  );
}
