import { LogRefusedError } from '../errors.js';
import type { RecordSet } from './record-set.js';

/** A named stop (K13): what cannot be read is never skipped. */
export const unreadableBatch = (
  topic: string,
  partition: number,
  offset: number,
  { codec, cause }: NonNullable<RecordSet['unreadable']>,
): LogRefusedError =>
  new LogRefusedError(
    'ERR_BATCH_UNREADABLE',
    `The batch at ${topic} partition ${partition} offset ${offset} (${codec}) cannot be read. Who else writes to this topic? ` +
      'Only uncompressed and gzip batches may be on it.',
    { cause },
  );
