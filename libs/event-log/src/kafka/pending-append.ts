import { topicByName } from '@doorledger/contracts';
import { AppendRefusedError } from '../errors.js';
import type { NewRecord, Position } from '../event-log.js';
import { partitionOf } from '../partition.js';
import type { PlacedMessage } from './trusted-producer.js';

/** Of one partition in one send: a broker takes it as one batch, whole or not at all (K1). */
export const PARTITION_SEND_BYTES = 900 * 1024;
/** For topics that spec 9 does not name. */
const OTHER_TOPIC_MAX_BYTES = 640 * 1024;
/** What a record adds to its key, value and headers on the wire, and each header to its name and text; upper bounds. */
const RECORD_OVERHEAD = 32;
const HEADER_OVERHEAD = 8;

/** One caller's append, from the call until its promise is settled. */
export interface PendingAppend {
  readonly messages: readonly PlacedMessage[];
  readonly bytesPerPartition: ReadonlyMap<number, number>;
  readonly bytes: number;
  /** By performance.now(). */
  readonly deadline: number;
  /** It was given to a producer: from here on only an acknowledgement says what became of it. */
  isSent: boolean;
  isSettled: boolean;
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: Error) => void;
}

/** @throws AppendRefusedError `ERR_RECORD_TOO_LARGE`, `ERR_APPEND_TOO_LARGE` */
export function placeRecords(
  topic: string,
  partitions: number,
  records: readonly NewRecord[],
): Pick<PendingAppend, 'messages' | 'bytesPerPartition' | 'bytes'> {
  const maxBytes = topicByName.get(topic)?.maxBytes ?? OTHER_TOPIC_MAX_BYTES;
  const bytesPerPartition = new Map<number, number>();
  let bytes = 0;
  const messages = records.map(({ key, value, headers }) => {
    if (value.length > maxBytes)
      throw new AppendRefusedError('ERR_RECORD_TOO_LARGE', `A record of ${topic} is ${value.length} bytes; at most ${maxBytes} fit.`);
    const partition = partitionOf(key, partitions);
    const size = sizeOf(key, value, headers);
    bytesPerPartition.set(partition, (bytesPerPartition.get(partition) ?? 0) + size);
    bytes += size;
    return { key, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength), headers: { ...headers }, partition };
  });
  for (const size of bytesPerPartition.values())
    if (size > PARTITION_SEND_BYTES)
      throw new AppendRefusedError(
        'ERR_APPEND_TOO_LARGE',
        `One append holds more than ${PARTITION_SEND_BYTES} bytes for one partition: append it in parts.`,
      );
  return { messages, bytesPerPartition, bytes };
}

/** Of a record on the wire, at most. */
export function sizeOf(key: string, value: Uint8Array, headers: Readonly<Record<string, string>>): number {
  let size = RECORD_OVERHEAD + Buffer.byteLength(key) + value.length;
  for (const name in headers) size += HEADER_OVERHEAD + Buffer.byteLength(name) + Buffer.byteLength(headers[name]!);
  return size;
}
