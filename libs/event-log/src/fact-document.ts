import type { StoredRecord } from './stored-record.js';

/** A record as one JSON document: its place, the log's time, and the event, or what can be known of one that cannot be read. */
export function factDocument({ topic, partition, offset, timestamp, key, decoded }: StoredRecord): object {
  const { body, ...kind } = decoded;
  return {
    topic,
    partition,
    offset,
    at: new Date(timestamp).toISOString(),
    key,
    ...(body ? { event: body } : { ...kind, unreadable: true }),
  };
}
