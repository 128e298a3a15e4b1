import type { RecordBatch } from '@doorledger/event-log';
import type { Places } from './places.js';
import { foldGroup, type Fault, type FoldedGroup } from './projection/group.js';
import type { Place } from './projection/place.js';
import { SessionCache } from './session-cache.js';
import type { LedgerStore } from './store.js';

export interface FoldingOptions {
  readonly store: LedgerStore;
  /** What is committed. */
  readonly places: Places;
  /** By `topic:partition`, the offset below which rows are gone by rule (X3), as the store says. */
  readonly retention: Map<string, number>;
  /** Partitions that stay stopped. */
  readonly faults?: readonly Fault[];
}

/** What a projector folds on: the store as it will be once everything folded so far is committed. */
export class Folding {
  readonly #places: Places;
  readonly #retention: Map<string, number>;
  readonly #sessions: SessionCache;
  /** By `topic:partition`: what is folded. */
  readonly #times = new Map<string, Place>();
  readonly #faults = new Map<string, Fault>();

  constructor({ store, places, retention, faults = [] }: FoldingOptions) {
    this.#places = places;
    this.#retention = retention;
    this.#sessions = new SessionCache(store);
    this.#stop(faults);
  }

  /** Partitions that a bug stopped: nothing of them is folded any more. */
  get faults(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  /** Folds what of these batches is new. @throws what the store throws; nothing is folded then */
  async fold(batches: readonly RecordBatch[]): Promise<FoldedGroup> {
    const folded = await foldGroup(
      batches.flatMap((batch) => this.#notYetFolded(batch)),
      {
        places: { at: (topic, partition) => this.#timeAt(topic, partition) },
        retention: this.#retention,
        checkOut: (some) => this.#sessions.checkOut(some),
      },
    );
    this.#goOnFrom(folded);
    return folded;
  }

  committed({ sessions }: FoldedGroup): void {
    this.#sessions.committed(sessions);
  }

  /** The next group is folded on what this one will have left in the store. */
  #goOnFrom({ sessions, changes, advances, faults }: FoldedGroup): void {
    this.#sessions.checkIn(sessions);
    for (const { topic, partition, before } of changes.cuts) {
      const name = `${topic}:${partition}`;
      this.#retention.set(name, Math.max(before, this.#retention.get(name) ?? 0));
    }
    for (const { topic, partition, to } of advances) this.#times.set(`${topic}:${partition}`, to);
    this.#stop(faults);
  }

  #stop(faults: readonly Fault[]): void {
    for (const fault of faults) this.#faults.set(`${fault.topic}:${fault.partition}`, fault);
  }

  #timeAt(topic: string, partition: number): Place | undefined {
    return this.#times.get(`${topic}:${partition}`) ?? this.#places.at(topic, partition);
  }

  /** A reader that was rebuilt delivers again what is under way here. */
  #notYetFolded(batch: RecordBatch): RecordBatch[] {
    const { topic, partition } = batch;
    const time = this.#timeAt(topic, partition);
    if (!time || this.#faults.has(`${topic}:${partition}`)) return [];
    if (batch.records[0]!.offset >= time.next) return [batch];
    const records = batch.records.filter((record) => record.offset >= time.next);
    return records.length > 0 ? [{ topic, partition, records }] : [];
  }
}
