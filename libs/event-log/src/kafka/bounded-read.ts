import type { RecordBatch } from '../event-log.js';
import type { ClusterView } from './cluster-view.js';
import { Follower } from './follower.js';
import { historyLost } from './history.js';
import { listRanges } from './list-offsets.js';

/** Everything of one topic from `from` up to the ends as of the call, one batch at a time. */
export async function* readToEnds(view: ClusterView, topic: string, from: readonly number[]): AsyncGenerator<RecordBatch> {
  const ranges = await listRanges(view, topic, [...from.keys()]);
  for (const [partition, range] of ranges.entries()) {
    const position = from[partition]!;
    if (position < range.start || position > range.end) throw historyLost(topic, partition, position, range);
  }
  const handed: { readonly batch: RecordBatch; readonly taken: () => void }[] = [];
  let wake = (): void => {};
  let isDone = false;
  let failure: unknown;
  const follower = new Follower({
    view,
    from: { [topic]: from },
    until: { [topic]: ranges.map(({ end }) => end) },
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
  follower.failed.catch((error: unknown) => {
    failure = error;
    wake();
  });
  try {
    for (;;) {
      const next = handed.shift();
      if (next) {
        yield next.batch;
        next.taken();
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
