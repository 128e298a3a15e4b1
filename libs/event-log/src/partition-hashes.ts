import { createHash, type Hash } from 'node:crypto';
import type { EventLog } from './event-log.js';
import type { StoredRecord } from './stored-record.js';

/**
 * SHA-256 (hex) of the records of each partition of a topic from `from` up to `upTo`: offset, timestamp, epoch, key, headers by name, value,
 * each with its length. Two logs with equal hashes hold the same records at the same places.
 */
export async function partitionHashes(
  log: Pick<EventLog, 'read'>,
  topic: string,
  from: readonly number[],
  upTo: readonly number[],
): Promise<string[]> {
  const hashes = from.map(() => createHash('sha256'));
  for await (const { partition, records } of log.read(topic, from))
    for (const record of records) if (record.offset < upTo[partition]!) addTo(hashes[partition]!, record);
  return hashes.map((hash) => hash.digest('hex'));
}

function addTo(hash: Hash, { offset, timestamp, epoch, key, headers, value }: StoredRecord): void {
  const named = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([offset, timestamp, epoch, key, named]);
  hash.update(`${Buffer.byteLength(text)}:${text}${value?.length ?? -1}:`);
  if (value) hash.update(value);
}
