import { topics as allTopics } from '@doorledger/contracts';
import type { EventLog, LogPositions, RecordBatch } from '@doorledger/event-log';
import { startsOf } from './history.js';
import { placeAfter, projectedTopics } from './projection/index.js';
import { Projector } from './projector.js';
import { readPlaces } from './queries/places.js';
import { RowChanges } from './row-changes.js';
import type { Advance, LedgerStore } from './store.js';

export interface RebuildProgress {
  readonly done: number;
  readonly total: number;
  readonly topic: string;
}

export interface RebuildOptions {
  readonly log: EventLog;
  /** Empty, or what an interrupted rebuild has left: it goes on from there. */
  readonly store: LedgerStore;
  /** The places to stop at, exactly. */
  readonly upTo: LogPositions;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
}

const RECORDS_AT_ONCE = 4000;

interface Group {
  readonly batches: RecordBatch[];
  readonly records: number;
}

/** Folds the log into another generation, up to exactly the given places (X0). */
export async function rebuild({ log, store, upTo, onProgress, signal }: RebuildOptions): Promise<void> {
  await skipCuts(log, store);
  const projector = await Projector.open({ store, topics: log.topics, maxRecords: 2 * RECORDS_AT_ONCE, gatherMs: 0 });
  try {
    await project({ log, projector, upTo, onProgress, signal });
  } finally {
    await projector.close();
  }
}

type Projecting = Omit<RebuildOptions, 'store'> & { readonly projector: Projector };

async function project({ log, projector, upTo, onProgress, signal }: Projecting): Promise<void> {
  const from = projector.applied;
  const topics = [...projectedTopics].sort(systemFirst);
  const total = topics.reduce((sum, topic) => sum + upTo[topic]!.reduce((s, end, p) => s + Math.max(0, end - from[topic]![p]!), 0), 0);
  let done = 0;
  let before: Promise<void> = Promise.resolve();
  for (const topic of topics) {
    for await (const { batches, records } of groupsOf(log, topic, from[topic]!, upTo[topic]!)) {
      signal?.throwIfAborted();
      const taken = Promise.all(batches.splice(0).map((batch) => projector.take(batch))).then(() => {
        const { faults } = projector.health;
        if (faults[0]) throw faults[0].error;
        onProgress?.({ done: (done += records), total, topic });
      });
      // Who fails is told when its turn comes.
      taken.catch(() => {});
      // This group is read and folded while the one before is written.
      await before;
      before = taken;
    }
  }
  await before;
}

/** Records that retention took away count as read (X3): of a partition that has no others, the place is all that is left. */
async function skipCuts(log: EventLog, store: LedgerStore): Promise<void> {
  const { positions } = await readPlaces(store.db, log.topics);
  const advances: Advance[] = [];
  for (const [topic, starts] of Object.entries(await startsOf(log, positions)))
    for (const [partition, start] of starts.entries()) {
      const from = positions[topic]![partition]!;
      if (start > from) advances.push({ topic, partition, from, to: placeAfter(start - 1) });
    }
  await store.commit({ advances, changes: new RowChanges() });
}

/** What retention took away is known before the first record it could mean. */
const systemFirst = (a: string, b: string): number => Number(b === allTopics.system.name) - Number(a === allTopics.system.name);

/** The records of a topic from one place to another, many at once: large commits write a page of the ledger once that small ones write often. */
async function* groupsOf(log: EventLog, topic: string, from: readonly number[], upTo: readonly number[]): AsyncIterable<Group> {
  let batches: RecordBatch[] = [];
  let records = 0;
  for await (const batch of log.read(topic, from)) {
    const end = upTo[batch.partition]!;
    const within = batch.records[batch.records.length - 1]!.offset < end ? batch.records : batch.records.filter((r) => r.offset < end);
    if (within.length === 0) continue;
    batches.push({ topic, partition: batch.partition, records: within });
    if ((records += within.length) < RECORDS_AT_ONCE) continue;
    yield { batches, records };
    [batches, records] = [[], 0];
  }
  if (records > 0) yield { batches, records };
}
