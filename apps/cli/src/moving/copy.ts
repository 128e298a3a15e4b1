import { topics as definitions } from '@doorledger/contracts';
import { partitionHashes, type EventLog, type LogPositions } from '@doorledger/event-log';
import { carryTopic, differs, type CarryOptions } from '@doorledger/event-log/kafka';

export const endsOf = async (log: Pick<EventLog, 'ends' | 'topics'>): Promise<LogPositions> =>
  Object.fromEntries(
    await Promise.all([...log.topics.keys()].map(async (topic) => [topic, (await log.ends(topic)).map(({ end }) => end)] as const)),
  );

export const startOf = (log: Pick<EventLog, 'topics'>): LogPositions =>
  Object.fromEntries([...log.topics].map(([topic, partitions]) => [topic, new Array<number>(partitions).fill(0)]));

/** Whether a partition of `ends` ends after the same one of `other`. */
export const reachesPast = (ends: LogPositions, other: LogPositions): boolean =>
  Object.entries(ends).some(([topic, offsets]) => offsets.some((end, partition) => end > other[topic]![partition]!));

/**
 * Compares what the cluster holds with the folder's log record by record, from these places up to `upTo`.
 * @throws LogRefusedError `ERR_MOVE_DIFFERS` naming the first partition that is no copy, or holds more
 */
export async function refuseDifference(from: EventLog, to: EventLog, at: LogPositions, upTo: LogPositions): Promise<void> {
  const held = await endsOf(to);
  for (const topic of from.topics.keys()) {
    const places = [topic, at[topic]!, upTo[topic]!] as const;
    const [hashes, others] = await Promise.all([partitionHashes(from, ...places), partitionHashes(to, ...places)]);
    const partition = hashes.findIndex((hash, p) => hash !== others[p] || held[topic]![p]! > upTo[topic]![p]!);
    if (partition >= 0) throw differs(topic, partition);
  }
}

/** Appends what the cluster lacks. Who the log is comes first: a host that meets a part of it is refused for that. */
export async function carryAll(options: CarryOptions): Promise<void> {
  const order = [definitions.system.name, ...[...options.from.topics.keys()].filter((topic) => topic !== definitions.system.name)];
  for (const topic of order) await carryTopic(topic, options);
}

export const recordsUpTo = (ends: LogPositions): number =>
  Object.values(ends)
    .flat()
    .reduce((sum, end) => sum + end, 0);
