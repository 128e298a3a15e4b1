import { topics as allTopics } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { startsOf } from './history.js';
import { placeAfter, projectedTopics, ProjectionBug } from './projection/index.js';
import { readPlaces } from './queries/places.js';
import { RowChanges } from './row-changes.js';
import type { Advance, LedgerStore } from './store.js';
import { StreamFold } from './stream-fold.js';

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

/** Of one commit: large ones write a page of the ledger once that small ones write often. */
const RECORDS_AT_ONCE = 4000;

/**
 * Folds the log into another generation, up to exactly the given places (X0).
 * @throws LedgerError `ERR_HISTORY_LOST`, `ERR_LEDGER_AHEAD`, `ERR_LEDGER_TAKEN`; what a projection threw
 */
export async function rebuild({ log, store, upTo, onProgress, signal = new AbortController().signal }: RebuildOptions): Promise<void> {
  await skipCuts(log, store);
  const fold = await StreamFold.open({ store, topics: log.topics, signal });
  try {
    await foldAll({ log, fold, upTo, onProgress, signal });
    await fold.end();
  } catch (error) {
    throw error instanceof ProjectionBug ? error.cause : error;
  } finally {
    await fold.close();
  }
}

type FoldAll = Pick<RebuildOptions, 'log' | 'upTo' | 'onProgress'> & { readonly fold: StreamFold; readonly signal: AbortSignal };

async function foldAll({ log, fold, upTo, onProgress, signal }: FoldAll): Promise<void> {
  const { from } = fold;
  const topics = [...projectedTopics].sort(systemFirst);
  const total = topics.reduce((sum, topic) => sum + upTo[topic]!.reduce((s, end, p) => s + Math.max(0, end - from[topic]![p]!), 0), 0);
  let done = 0;
  for (const topic of topics) {
    const commit = (): Promise<void> => {
      const { records } = fold;
      return fold.commit(() => onProgress?.({ done: (done += records), total, topic }));
    };
    for await (const batch of log.read(topic, from[topic]!)) {
      signal.throwIfAborted();
      const end = upTo[topic]![batch.partition]!;
      const isWithin = batch.records[batch.records.length - 1]!.offset < end;
      const records = isWithin ? batch.records : batch.records.filter((r) => r.offset < end);
      if (records.length > 0) await fold.add({ ...batch, records });
      if (fold.records >= RECORDS_AT_ONCE) await commit();
    }
    if (fold.records > 0) await commit();
  }
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
