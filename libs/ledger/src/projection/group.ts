import type { RecordBatch } from '@doorledger/event-log';
import { RowChanges } from '../row-changes.js';
import type { Advance } from '../store.js';
import { projectBatch, ProjectionBug } from './index.js';
import type { Place } from './place.js';
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
  readonly places: { at(topic: string, partition: number): Place | undefined };
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

function foldOnce(batches: readonly RecordBatch[], context: GroupContext, sessions: Map<string, FoldedSession>): Once {
  const group = new GroupFold(context);
  for (const batch of batches) {
    try {
      group.add(batch, sessions);
    } catch (bug) {
      if (bug instanceof ProjectionBug) return { bug, batch };
      throw bug;
    }
  }
  return group.end();
}

/** One commit in the making: batches folded one after the other. */
export class GroupFold {
  readonly #context: Pick<GroupContext, 'places' | 'retention'>;
  readonly #changes = new RowChanges();
  readonly #moved = new Map<string, Advance>();
  readonly #sessions = new Map<string, FoldedSession>();

  constructor(context: Pick<GroupContext, 'places' | 'retention'>) {
    this.#context = context;
  }

  /**
   * `sessions` are those of the batch's keys as the batches before have left them; they are changed.
   * @throws ProjectionBug: the whole group is spoiled then
   */
  add(batch: RecordBatch, sessions: ReadonlyMap<string, FoldedSession>): void {
    const { topic, partition } = batch;
    const { places, retention } = this.#context;
    const name = `${topic}:${partition}`;
    const earlier = this.#moved.get(name);
    const place = earlier?.to ?? places.at(topic, partition)!;
    const to = projectBatch(batch, { place, retainedFrom: retention.get(name) ?? 0, sessions }, this.#changes);
    this.#moved.set(name, { topic, partition, from: earlier?.from ?? place.next, to });
    for (const session of sessions.values()) this.#sessions.set(session.key, session);
  }

  end(): Omit<FoldedGroup, 'faults'> {
    for (const session of this.#sessions.values()) putSession(session, this.#changes);
    return { advances: [...this.#moved.values()], changes: this.#changes, sessions: [...this.#sessions.values()] };
  }
}

function before({ topic, partition, records }: RecordBatch, offset: number): RecordBatch[] {
  const kept = records.filter((record) => record.offset < offset);
  return kept.length > 0 ? [{ topic, partition, records: kept }] : [];
}
