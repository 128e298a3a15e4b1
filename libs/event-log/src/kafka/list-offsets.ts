import type { PartitionRange } from '../event-log.js';
import { brokerError } from './broker-errors.js';
import { LeaderMovedError, onNode, untilAnswered } from './broker-request.js';
import type { ClusterView } from './cluster-view.js';

/** The offsets that some partitions of a topic hold, asked of their present leaders, in the order given. */
export async function listRanges(view: ClusterView, topic: string, partitions: readonly number[]): Promise<PartitionRange[]> {
  return untilAnswered(view, topic, async () => {
    const byLeader = new Map<number, number[]>();
    for (const partition of partitions) {
      const leader = view.leaderOf(topic, partition);
      if (leader === undefined) throw new LeaderMovedError();
      let led = byLeader.get(leader);
      if (!led) byLeader.set(leader, (led = []));
      led.push(partition);
    }
    const starts = new Map<number, number>();
    const ends = new Map<number, number>();
    await Promise.all(
      [...byLeader].flatMap(([leader, led]) => [
        list(view, leader, topic, led, 'start', starts),
        list(view, leader, topic, led, 'end', ends),
      ]),
    );
    return partitions.map((partition) => ({ start: starts.get(partition)!, end: ends.get(partition)! }));
  });
}

async function list(
  view: ClusterView,
  leader: number,
  topic: string,
  partitions: readonly number[],
  which: 'start' | 'end',
  into: Map<number, number>,
): Promise<void> {
  const listed = await onNode(view, leader, (link) => link.listOffsets(topic, partitions, which));
  for (const { partition, errorCode, offset } of listed) {
    if (errorCode !== brokerError.none) throw new LeaderMovedError(errorCode);
    into.set(partition, offset);
  }
  if (partitions.some((partition) => !into.has(partition))) throw new LeaderMovedError();
}
