import { factByType } from '@doorledger/contracts';
import type { FoldTime, StoredRecord } from '@doorledger/event-log';
import type { RowChanges } from '../row-changes.js';

/**
 * What a record of a topic without claims changes; `time` is the partition's at the record. Pure: no clock, no I/O. Returns why the record is refused, if it is.
 * Copies of an event change nothing, and no two partitions ever write the same row: the order between partitions cannot matter.
 */
export type Projection = (record: StoredRecord, changes: RowChanges, time: FoldTime) => string | undefined;

/** Names the record's place and the reason; never its content. */
export function quarantine(record: StoredRecord, why: string, changes: RowChanges): void {
  const { topic, partition, offset } = record;
  const { type } = record.decoded;
  changes.append('quarantine', { topic, partition, offset, type: type !== undefined && factByType.has(type) ? type : null, why });
}
