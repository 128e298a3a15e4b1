import type { Position } from '../event-log.js';
import { PARTITION_SEND_BYTES, type PendingAppend } from './pending-append.js';
import type { PlacedMessage } from './trusted-producer.js';

/** Of all partitions: more would not be through within a produce request's timeout on a slow link. */
const SEND_BYTES = 8 * 1024 * 1024;
/** kafkajs groups a send's messages by partition in quadratic time. */
const SEND_MESSAGES = 2000;

/**
 * Takes whole calls off the queue's front for one send. It stops at the first that does not fit, so that no later record
 * overtakes an earlier one of its key.
 */
export function takeBatch(queue: PendingAppend[]): PendingAppend[] {
  const bytesPerPartition = new Map<number, number>();
  let bytes = 0;
  let messages = 0;
  let count = 0;
  for (const append of queue) {
    if (count > 0 && (bytes + append.bytes > SEND_BYTES || messages + append.messages.length > SEND_MESSAGES)) break;
    if (!fits(append, bytesPerPartition)) break;
    for (const [partition, size] of append.bytesPerPartition)
      bytesPerPartition.set(partition, (bytesPerPartition.get(partition) ?? 0) + size);
    bytes += append.bytes;
    messages += append.messages.length;
    count++;
  }
  return queue.splice(0, count);
}

function fits(append: PendingAppend, bytesPerPartition: ReadonlyMap<number, number>): boolean {
  for (const [partition, size] of append.bytesPerPartition)
    if ((bytesPerPartition.get(partition) ?? 0) + size > PARTITION_SEND_BYTES) return false;
  return true;
}

export const messagesOf = (batch: readonly PendingAppend[]): PlacedMessage[] => batch.flatMap(({ messages }) => messages);

/** The positions of each call: a partition's records lie one after the other from the offset it was acknowledged at. */
export function positionsOf(topic: string, batch: readonly PendingAppend[], offsets: ReadonlyMap<number, number>): Position[][] {
  const next = new Map(offsets);
  return batch.map(({ messages }) =>
    messages.map(({ partition }) => {
      const offset = next.get(partition)!;
      next.set(partition, offset + 1);
      return { topic, partition, offset };
    }),
  );
}
