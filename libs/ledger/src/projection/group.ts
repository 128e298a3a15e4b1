import type { PartitionTime, RecordBatch } from '@doorledger/event-log';
import { RowChanges } from '../row-changes.js';
import type { Advance } from '../store.js';
import { projectBatch, ProjectionBug } from './index.js';
import { putSession, type FoldedSession } from './session.js';

/** Where a bug stopped a partition: the record that no projection of this release can take. */
export interface Fault {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly error: unknown;
}

export interface FoldedGroup {
  readonly advances: readonly Advance[];
  readonly changes: RowChanges;
  readonly sessions: readonly FoldedSession[];
  readonly faults: readonly Fault[];
}

export interface GroupContext {
  readonly places: { at(topic: string, partition: number): PartitionTime | undefined };
  /** By `topic:partition`, the offset below which rows are gone by rule (X3). */
  readonly retention: ReadonlyMap<string, number>;
  /** Sessions of these batches that folding may change. */
  readonly checkOut: (batches: readonly RecordBatch[]) => Promise<Map<string, FoldedSession>>;
}

/** Folds batches of several partitions into one commit. A batch that meets a bug is cut before the record, and all is folded anew. */
export async function foldGroup(batches: readonly RecordBatch[], context: GroupContext): Promise<FoldedGroup> {
  const faults: Fault[] = [];
  for (let rest = batches; ;) {
    const folded = foldOnce(rest, context, await context.checkOut(rest));
    if (!('bug' in folded)) return { ...folded, faults };
    const { bug } = folded;
    const { topic, partition } = folded.batch;
    faults.push({ topic, partition, offset: bug.offset, error: bug.cause });
    rest = rest.flatMap((b) => (b.topic === topic && b.partition === partition ? before(b, bug.offset) : [b]));
  }
}

type Once = Omit<FoldedGroup, 'faults'> | { readonly bug: ProjectionBug; readonly batch: RecordBatch };

function foldOnce(batches: readonly RecordBatch[], { places, retention }: GroupContext, sessions: Map<string, FoldedSession>): Once {
  const changes = new RowChanges();
  const moved = new Map<string, Advance>();
  for (const batch of batches) {
    const { topic, partition } = batch;
    const name = `${topic}:${partition}`;
    const earlier = moved.get(name);
    const time = earlier?.to ?? places.at(topic, partition)!;
    try {
      const to = projectBatch(batch, { time, retainedFrom: retention.get(name) ?? 0, sessions }, changes);
      moved.set(name, { topic, partition, from: earlier?.from ?? time.next, to });
    } catch (bug) {
      if (bug instanceof ProjectionBug) return { bug, batch };
      throw bug;
    }
  }
  for (const session of sessions.values()) putSession(session, changes);
  return { advances: [...moved.values()], changes, sessions: [...sessions.values()] };
}

function before({ topic, partition, records }: RecordBatch, offset: number): RecordBatch[] {
  const kept = records.filter((record) => record.offset < offset);
  return kept.length > 0 ? [{ topic, partition, records: kept }] : [];
}
