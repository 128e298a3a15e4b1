import type { PartitionRange, RecordBatch } from '../event-log.js';
import type { ClusterView } from './cluster-view.js';
import { Follower } from './follower.js';
import { historyLost } from './history.js';
import { listRanges } from './list-offsets.js';

/**
 * Everything of one topic from `from` up to the ends as of the call. While it runs, what does the reading is in `running`, so
 * that it can be made to fail when the log is closed.
 */
export function readToEnds(view: ClusterView, topic: string, from: readonly number[], running: Set<Follower>): AsyncGenerator<RecordBatch> {
  const asked = listRanges(view, topic, [...from.keys()]);
  asked.catch(() => {});
  return readBetween(view, topic, from, asked, running);
}

async function* readBetween(
  view: ClusterView,
  topic: string,
  from: readonly number[],
  asked: Promise<PartitionRange[]>,
  running: Set<Follower>,
): AsyncGenerator<RecordBatch> {
  const ranges = await asked;
  for (const [partition, range] of ranges.entries()) {
    const position = from[partition]!;
    if (position < range.start || position > range.end) throw historyLost(topic, partition, position, range);
  }
  const handed: { readonly batch: RecordBatch; readonly taken: () => void }[] = [];
  let wake = (): void => {};
  let isDone = false;
  let failure: Error | undefined;
  const follower = new Follower({
    view,
    running,
    spans: ranges.map(({ end }, partition) => ({ topic, partition, from: from[partition]!, until: end })),
    deliver: (batch) =>
      new Promise((taken) => {
        handed.push({ batch, taken });
        wake();
      }),
    onDone: () => {
      isDone = true;
      wake();
    },
  });
  follower.failed.catch((error: Error) => {
    failure = error;
    wake();
  });
  try {
    for (;;) {
      const next = handed.shift();
      if (next) {
        next.taken();
        yield next.batch;
      } else if (failure) throw failure;
      else if (isDone) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    const closed = follower.close();
    for (const { taken } of handed) taken();
    await closed;
  }
}
