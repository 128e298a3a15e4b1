import type { EventLog, LogPositions } from '@doorledger/event-log';
import type { Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

export interface PartitionStatus {
  readonly partition: number;
  /** First offset kept, and the one after the last. */
  readonly start: number;
  readonly end: number;
  /** The next offset the ledger reads. */
  readonly applied: number;
  readonly lag: number;
}

export interface TopicStatus {
  readonly topic: string;
  readonly lag: number;
  readonly partitions: readonly PartitionStatus[];
}

/** Where the ledger stands against the log, topic by topic. */
export async function readTopicStatus(
  log: Pick<EventLog, 'ends'>,
  applied: LogPositions,
  topics: readonly string[],
): Promise<TopicStatus[]> {
  return Promise.all(
    topics.map(async (topic) => {
      const ranges = await log.ends(topic);
      const partitions = ranges.map(({ start, end }, partition) => {
        const next = applied[topic]?.[partition] ?? 0;
        return { partition, start, end, applied: next, lag: Math.max(0, end - Math.max(next, start)) };
      });
      return { topic, lag: partitions.reduce((sum, p) => sum + p.lag, 0), partitions };
    }),
  );
}

export async function countQuarantined(db: Kysely<LedgerTables>): Promise<number> {
  const { count } = await db
    .selectFrom('quarantine')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
