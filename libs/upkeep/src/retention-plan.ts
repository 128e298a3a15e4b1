import { topics } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import type { LedgerReader, UpkeepReader } from '@doorledger/ledger';

/** What retention would take from one partition (X3). */
export interface PlannedCut {
  readonly topic: string;
  readonly partition: number;
  /** The first offset the log holds now. */
  readonly start: number;
  /** The first offset that stays. */
  readonly before: number;
  /** Why records that are old enough stay: content that waiting turns or grants need, or a ledger that has not read them yet. */
  readonly heldBy?: 'content-in-use' | 'ledger';
}

export interface RetentionAsk {
  readonly topics: readonly string[];
  /** Records whose log timestamp is before this one are old, epoch ms. */
  readonly cutoff: number;
  readonly now: number;
}

export interface RetentionParts {
  readonly log: Pick<EventLog, 'read' | 'ends' | 'topics'>;
  readonly ledger: Pick<LedgerReader, 'positions'>;
  readonly records: UpkeepReader;
}

/** The topics whose start may move; every other one is never cut (N21). */
export const CUTTABLE: readonly string[] = [topics.ingress.name, topics.private.name];

/** Everything that a cut would do, without doing it. Partitions of which nothing would go are left out. */
export async function planRetention(ask: RetentionAsk, { log, ledger, records }: RetentionParts): Promise<PlannedCut[]> {
  const { positions } = await ledger.positions();
  const inUse = await records.contentInUse(ask.now);
  const applied = await records.retention();
  const cuts: PlannedCut[] = [];
  for (const topic of ask.topics) {
    const ranges = await log.ends(topic);
    for (const [partition, { start }] of ranges.entries()) {
      const old = await firstYoung(
        log,
        topic,
        partition,
        ranges.map(({ end }) => end),
        start,
        ask.cutoff,
      );
      const held = keptBack(topic, partition, old, positions, inUse);
      // What an interrupted cut has said goes all the same.
      const before = Math.max(held.before, Math.min(applied.get(`${topic}:${partition}`) ?? 0, ranges[partition]!.end));
      if (before > start || held.heldBy) cuts.push({ topic, partition, start, ...held, before: Math.max(before, start) });
    }
  }
  return cuts;
}

/** The first offset at or after `start` whose record is not old. */
async function firstYoung(
  log: RetentionParts['log'],
  topic: string,
  partition: number,
  ends: readonly number[],
  start: number,
  cutoff: number,
): Promise<number> {
  // The other partitions are read from their ends: not at all.
  const from = ends.map((end, other) => (other === partition ? start : end));
  for await (const batch of log.read(topic, from)) {
    if (batch.partition !== partition) continue;
    for (const { offset, timestamp } of batch.records) if (timestamp >= cutoff) return offset;
  }
  return ends[partition]!;
}

function keptBack(
  topic: string,
  partition: number,
  old: number,
  positions: LogPositions,
  inUse: ReadonlyMap<number, number>,
): Pick<PlannedCut, 'before' | 'heldBy'> {
  const read = positions[topic]?.[partition] ?? 0;
  const needed = topic === topics.private.name ? (inUse.get(partition) ?? Infinity) : Infinity;
  if (Math.min(read, needed) >= old) return { before: old };
  return needed <= read ? { before: needed, heldBy: 'content-in-use' } : { before: read, heldBy: 'ledger' };
}
