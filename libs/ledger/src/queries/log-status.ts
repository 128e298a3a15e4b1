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
  return countOf(db.selectFrom('quarantine').select((eb) => eb.fn.countAll<number>().as('count')));
}

/** Sessions that stand still behind a record nobody can read (L8). */
export async function countBlocked(db: Kysely<LedgerTables>): Promise<number> {
  const blocked = db.selectFrom('session').where('blocked_by', 'is not', null);
  return countOf(blocked.select((eb) => eb.fn.countAll<number>().as('count')));
}

/** Requests for consent that nobody has decided. */
export async function countWaitingConsents(db: Kysely<LedgerTables>): Promise<number> {
  const waiting = db.selectFrom('consent').where('status', '=', 'pending');
  return countOf(waiting.select((eb) => eb.fn.countAll<number>().as('count')));
}

/** PostgreSQL counts in 64 bits, which its driver gives as text. */
async function countOf(query: { executeTakeFirstOrThrow(): Promise<{ readonly count: number | string }> }): Promise<number> {
  return Number((await query.executeTakeFirstOrThrow()).count);
}
