import type { LogPositions, RecordBatch } from '@doorledger/event-log';
import { CommitLine } from './commit-line.js';
import { LedgerError } from './errors.js';
import { Outage } from './outage.js';
import { GroupFold } from './projection/group.js';
import type { Place } from './projection/place.js';
import { readPlaces } from './queries/places.js';
import { readRetention } from './queries/retention.js';
import type { LedgerPositions } from './reader.js';
import { SessionCache } from './session-cache.js';
import type { LedgerStore } from './store.js';

export interface StreamFoldOptions {
  readonly store: LedgerStore;
  /** Partition count per topic name. */
  readonly topics: ReadonlyMap<string, number>;
  readonly signal: AbortSignal;
}

/**
 * Folds a log that is read once, from its start: a batch can be forgotten as soon as it is added, long before its commit. While a
 * commit is under way the next one is folded on what it will leave.
 */
export class StreamFold {
  /** The next offset per partition, as the store had it. */
  readonly from: LogPositions;
  readonly #outage: Outage;
  readonly #commits: CommitLine;
  readonly #sessions: SessionCache;
  readonly #retention: Map<string, number>;
  readonly #times: Record<string, Place[]>;
  #group: GroupFold;
  #records = 0;
  #underWay: Promise<void> = Promise.resolve();

  static async open(options: StreamFoldOptions): Promise<StreamFold> {
    const { store, topics } = options;
    return new StreamFold(options, await readPlaces(store.db, topics), await readRetention(store.db));
  }

  private constructor({ store, topics, signal }: StreamFoldOptions, { positions, times }: LedgerPositions, retention: Map<string, number>) {
    this.from = positions;
    this.#outage = new Outage({}, signal);
    this.#commits = new CommitLine({ store, topics, outage: this.#outage });
    this.#sessions = new SessionCache(store);
    this.#retention = retention;
    this.#times = Object.fromEntries(Object.entries(times).map(([topic, ofTopic]) => [topic, [...ofTopic]]));
    this.#group = this.#newGroup();
  }

  /** How many were added since the last commit. */
  get records(): number {
    return this.#records;
  }

  /** @throws ProjectionBug: nothing can be added or committed any more */
  async add(batch: RecordBatch): Promise<void> {
    const sessions = await this.#outage.untilAnswered(() => this.#sessions.checkOut([batch]));
    this.#group.add(batch, sessions);
    this.#sessions.checkIn([...sessions.values()]);
    this.#records += batch.records.length;
  }

  /**
   * Commits what was added. Resolves when the commit BEFORE this one is done: one is under way while the next is folded.
   * @throws LedgerError `ERR_LEDGER_TAKEN`, of this commit or the one before
   */
  async commit(onCommitted: () => void): Promise<void> {
    const folded = this.#group.end();
    for (const { topic, partition, before } of folded.changes.cuts) {
      const name = `${topic}:${partition}`;
      this.#retention.set(name, Math.max(before, this.#retention.get(name) ?? 0));
    }
    for (const { topic, partition, to } of folded.advances) this.#times[topic]![partition] = to;
    this.#group = this.#newGroup();
    this.#records = 0;
    const before = this.#underWay;
    this.#underWay = this.#commits.add(folded, () => {
      this.#sessions.committed(folded.sessions);
      onCommitted();
    });
    // Who fails is told when its turn comes.
    this.#underWay.catch(() => {});
    await before;
  }

  /** Resolves when everything is committed, and rejects when it cannot be. */
  async end(): Promise<void> {
    await this.#underWay;
  }

  /** Lets the running commit end and refuses what has not begun. */
  async close(): Promise<void> {
    this.#commits.break(new LedgerError('ERR_LEDGER_CLOSED', 'The fold of the log has ended.'));
    await this.#commits.last;
  }

  #newGroup(): GroupFold {
    return new GroupFold({ places: { at: (topic, partition) => this.#times[topic]?.[partition] }, retention: this.#retention });
  }
}
