import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import type { Effect } from './effect.js';
import { foldSession } from './fold.js';
import type { Meeting, Met } from './meeting.js';
import { readSessionRecord } from './record.js';
import { partitionOf } from '../partition.js';
import { emptySession, type SessionState } from './state.js';
import { advance, type PartitionTime } from './time.js';

/** A session's stored state and the next offset of its partition as of that state. */
export interface SessionRow {
  readonly state: SessionState;
  readonly next: number;
}

/** Private content that a standing record names (L10). */
export interface Citation {
  readonly partition: number;
  readonly offset: number;
  readonly hash: string;
}

/** A session whose state is kept at the tail's position while somebody holds it. */
interface Live {
  state: SessionState;
  /** The first offset not yet in `state`. */
  next: number;
  holders: number;
  /** What standing records have named since the row, in order. */
  readonly citations: Citation[];
  readonly watchers: Set<(effect: Effect, state: SessionState) => void>;
}

interface Recent {
  readonly record: StoredRecord;
  readonly time: PartitionTime;
}

export interface SessionViewOptions {
  /** Reads a session's row; an absent one is the empty state at its partition's stored position. */
  readonly row: (key: string) => Promise<SessionRow>;
  /** Where each partition of the session topic starts: the projector's positions and times (L9). */
  readonly from: readonly PartitionTime[];
  /** Records kept because the ledger does not have them yet; past it `isBehind` is true. */
  readonly maxRecent?: number;
}

const RELOADS = 5;
const MAX_GIVEN_UP = 10_000;

/**
 * A host's view of the session topic (L9): the ledger's row plus what the own tail has met past it, folded by the one fold
 * of spec 6. Memory is bounded by the sessions held and by how far the ledger is behind the tail.
 */
export class SessionView {
  readonly #options: SessionViewOptions;
  readonly #time: PartitionTime[];
  /** Per partition, the keys of the records in `#recent`, oldest first, and the offset before which they were dropped. */
  readonly #order: { offset: number; key: string }[][];
  readonly #dropped: number[];
  readonly #recent = new Map<string, Recent[]>();
  #recentCount = 0;
  readonly #live = new Map<string, Live>();
  readonly #waiting = new Map<string, (met: Met) => void>();
  readonly #givenUp = new Map<string, () => void>();
  readonly #reaching = new Set<{ readonly partition: number; readonly next: number; readonly reached: () => void }>();

  constructor(options: SessionViewOptions) {
    this.#options = options;
    this.#time = [...options.from];
    this.#order = options.from.map(() => []);
    this.#dropped = options.from.map((time) => time.next);
  }

  /** The ledger is so far behind that this host must not take on more (503 `ERR_LEDGER_BEHIND`). */
  get isBehind(): boolean {
    return this.#recentCount > (this.#options.maxRecent ?? 200_000);
  }

  /** Sessions held and records kept, for metrics and tests. */
  get size(): { readonly live: number; readonly recent: number } {
    return { live: this.#live.size, recent: this.#recentCount };
  }

  /** Every key with a record past the ledger's position. */
  recentKeys(): Iterable<string> {
    return this.#recent.keys();
  }

  /** Takes the tail's next batch of the session topic. */
  apply({ topic, partition, records }: RecordBatch): void {
    if (topic !== topics.session.name) return;
    for (const record of records) {
      const time = advance(this.#time[partition]!, record);
      this.#time[partition] = time;
      this.#keep(partition, record, time);
      const live = this.#live.get(record.key);
      if (live) this.#fold(live, record, time);
      if (this.#givenUp.size > 0) this.#givenUp.get(record.decoded.id ?? '')?.();
    }
    for (const one of this.#reaching) if (one.partition === partition && this.#time[partition]!.next >= one.next) one.reached();
  }

  /** The first offset of this key's partition that the tail has not met. */
  nextOf(key: string): number {
    return this.#time[partitionOf(key, this.#time.length)]!.next;
  }

  /** Resolves when the tail has met what another host's had met of this key's partition before `next`, or after `ms`. */
  async reached(key: string, next: number, ms: number): Promise<void> {
    if (this.nextOf(key) >= next) return;
    await new Promise<void>((resolve) => {
      const reached = () => {
        clearTimeout(late);
        this.#reaching.delete(one);
        resolve();
      };
      const one = { partition: partitionOf(key, this.#time.length), next, reached };
      const late = setTimeout(reached, ms);
      this.#reaching.add(one);
    });
  }

  /** The ledger has everything of this partition before `next`. */
  projected(partition: number, next: number): void {
    const order = this.#order[partition]!;
    let count = 0;
    while (count < order.length && order[count]!.offset < next) this.#drop(order[count++]!.key);
    if (count > 0) order.splice(0, count);
    this.#dropped[partition] = Math.max(this.#dropped[partition]!, next);
  }

  /**
   * Holds a session: its state stays current until `release`. `fresh`: the caller knows that the key was never used
   * (an id it has just made), so nothing is read.
   */
  async hold(key: string, fresh = false): Promise<HeldSession> {
    const partition = partitionOf(key, this.#time.length);
    const unused = { state: emptySession, next: this.#time[partition]!.next };
    const live = this.#live.get(key) ?? (fresh ? this.#adopt(key, unused) : await this.#load(key, partition));
    live.holders++;
    return new HeldSession(live, () => {
      if (--live.holders === 0) this.#live.delete(key);
    });
  }

  /** Resolves when the tail meets the record of this event id on a held session (L7). `forget` stops waiting. */
  meet(eventId: string): Meeting {
    const met = new Promise<Met>((resolve) => this.#waiting.set(eventId, resolve));
    return { met, forget: () => void this.#waiting.delete(eventId) };
  }

  /**
   * From now on `onCopy` is called for every copy of this event that the tail meets (L7): its writer no longer acts on it
   * and has to undo it. The newest 10 000 are remembered.
   */
  giveUp(eventId: string, onCopy: () => void): void {
    this.#givenUp.set(eventId, onCopy);
    if (this.#givenUp.size > MAX_GIVEN_UP) this.#givenUp.delete(this.#givenUp.keys().next().value!);
  }

  #keep(partition: number, record: StoredRecord, time: PartitionTime): void {
    if (record.offset < this.#dropped[partition]!) return;
    const kept = this.#recent.get(record.key);
    if (kept) kept.push({ record, time });
    else this.#recent.set(record.key, [{ record, time }]);
    this.#order[partition]!.push({ offset: record.offset, key: record.key });
    this.#recentCount++;
  }

  #drop(key: string): void {
    const kept = this.#recent.get(key)!;
    kept.shift();
    if (kept.length === 0) this.#recent.delete(key);
    this.#recentCount--;
  }

  async #load(key: string, partition: number): Promise<Live> {
    for (let tries = 0; tries < RELOADS; tries++) {
      const row = await this.#options.row(key);
      const known = this.#live.get(key);
      if (known) return known;
      // The ledger went on while the row was read, and records between the two were dropped here: read again.
      if (row.next < this.#dropped[partition]!) continue;
      this.projected(partition, row.next);
      return this.#adopt(key, row);
    }
    throw new Error('A session row kept falling behind its own partition.');
  }

  #adopt(key: string, row: SessionRow): Live {
    const live: Live = { ...row, holders: 0, citations: [], watchers: new Set() };
    this.#live.set(key, live);
    for (const { record, time } of this.#recent.get(key) ?? []) this.#fold(live, record, time);
    return live;
  }

  #fold(live: Live, record: StoredRecord, time: PartitionTime): void {
    if (record.offset < live.next) return;
    const { state, verdict, effects } = foldSession(live.state, readSessionRecord(record), time);
    live.state = state;
    live.next = record.offset + 1;
    const cited = verdict.stands && (record.decoded.body?.data.private as Citation | undefined);
    if (cited) live.citations.push(cited);
    const { id } = record.decoded;
    const waiting = id && this.#waiting.get(id);
    if (waiting) {
      this.#waiting.delete(id);
      waiting({ verdict, record, state });
    }
    for (const effect of effects) for (const watch of live.watchers) watch(effect, state);
  }
}

/** A hold on a session's state. */
export class HeldSession {
  readonly #live: Live;
  #release?: () => void;

  constructor(live: Live, release: () => void) {
    this.#live = live;
    this.#release = release;
  }

  /** As of the own tail's position. */
  get state(): SessionState {
    return this.#live.state;
  }

  /** Content that records past the ledger's row have named, in order; one record's content may be named more than once. */
  get citations(): readonly Citation[] {
    return this.#live.citations;
  }

  /** Calls `watcher` with every effect from now on, until the returned function is called. */
  watch(watcher: (effect: Effect, state: SessionState) => void): () => void {
    this.#live.watchers.add(watcher);
    return () => void this.#live.watchers.delete(watcher);
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }
}
