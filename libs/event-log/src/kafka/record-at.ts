import type { Position } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import { brokerError } from './broker-errors.js';
import { LeaderMovedError, onNode, untilAnswered } from './broker-request.js';
import type { ClusterView } from './cluster-view.js';
import { listRanges } from './list-offsets.js';
import { readRecordSet } from './record-set.js';
import { unreadableBatch } from './unreadable-batch.js';

/** Fetches the one batch that holds the record. */
export async function fetchRecordAt(view: ClusterView, { topic, partition, offset }: Position): Promise<StoredRecord | undefined> {
  return untilAnswered(view, topic, async () => {
    const leader = view.leaderOf(topic, partition);
    if (leader === undefined) throw new LeaderMovedError();
    const [fetched] = await onNode(view, leader, (link) => link.fetch([{ topic, partition, offset, maxBytes: 1 }], 0));
    if (!fetched) throw new LeaderMovedError();
    if (fetched.errorCode === brokerError.offsetOutOfRange || fetched.records.length === 0)
      return absent(view, { topic, partition, offset });
    if (fetched.errorCode !== brokerError.none) throw new LeaderMovedError(fetched.errorCode);
    const { records, unreadable } = readRecordSet(fetched, offset);
    if (unreadable && records.length === 0) throw unreadableBatch(topic, partition, offset, unreadable);
    return records[0]?.offset === offset ? records[0] : undefined;
  });
}

/** A new leader may not yet show what is on the log: only the log's own range says that there is nothing. */
async function absent(view: ClusterView, { topic, partition, offset }: Position): Promise<undefined> {
  const [range] = await listRanges(view, topic, [partition]);
  if (offset >= range!.start && offset < range!.end) throw new LeaderMovedError();
  return undefined;
}
