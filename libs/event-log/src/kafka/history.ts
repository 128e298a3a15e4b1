import { setTimeout as sleep } from 'node:timers/promises';
import { LogRefusedError } from '../errors.js';
import type { PartitionRange } from '../event-log.js';
import type { ClusterView } from './cluster-view.js';
import type { Cursor } from './cursor.js';
import { timeoutsOf } from './kafka-options.js';
import { listRanges } from './list-offsets.js';
import { LogUnreachableError } from './log-unreachable.js';

const PAUSE_MS = 200;

/**
 * What a cursor does whose position its leader does not know: K12. Resolves when the position lies inside the log after all.
 * @throws LogRefusedError `ERR_HISTORY_LOST`: at once when the log starts later, and when it still ends earlier after `beyondEnd`
 */
export async function judgePosition(view: ClusterView, { topic, partition, position }: Cursor, signal: AbortSignal): Promise<void> {
  const end = performance.now() + timeoutsOf(view.options).beyondEnd;
  while (!signal.aborted) {
    await view.refresh();
    const range = await rangeOf(view, topic, partition);
    if (range && position < range.start) throw historyLost(topic, partition, position, range);
    if (range && position <= range.end) return;
    if (range && performance.now() > end) throw historyLost(topic, partition, position, range);
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

/** Undefined while nobody can say. */
async function rangeOf(view: ClusterView, topic: string, partition: number): Promise<PartitionRange | undefined> {
  try {
    const [range] = await listRanges(view, topic, [partition]);
    return range;
  } catch (error) {
    if (error instanceof LogUnreachableError) return undefined;
    throw error;
  }
}

export const historyLost = (topic: string, partition: number, position: number, { start, end }: PartitionRange): LogRefusedError =>
  new LogRefusedError(
    'ERR_HISTORY_LOST',
    `${topic} partition ${partition} holds offsets ${start} to ${end}; reading was to go on at ${position}. ` +
      'History was lost, or this is not the log that was read before: nothing is skipped.',
  );
