import type { FactEvent } from '@doorledger/contracts';
import type { EventLog, LogPositions, RecordBatch } from '@doorledger/event-log';
import type { Partitions } from '@doorledger/event-log/kafka';
import {
  LedgerError,
  Projector,
  SwitchableStore,
  rebuild,
  startsOf,
  type Generations,
  type KnownDigest,
  type LedgerStore,
  type ProjectorOptions,
} from '@doorledger/ledger';
import type { References } from '@doorledger/privacy';
import { ConsentFeed } from './consent-feed.js';

interface ProjectionParts {
  readonly log: EventLog;
  readonly store: SwitchableStore;
  readonly projector: Projector;
  readonly generations: Generations;
  readonly generation: number;
  readonly isShared: boolean;
  readonly from: LogPositions;
  readonly references: References;
}

/** A compare-and-set was lost, or the generation is not live any more. */
export const isTaken = (error: unknown): boolean => error instanceof LedgerError && error.code === 'ERR_LEDGER_TAKEN';

/** What the projector and the ledger API work with; also their injection token. Until the log and the ledger are there it answers 503 (K15). */
export class Projection {
  #open?: ProjectionParts;
  #following?: Promise<void>;
  #feed?: ConsentFeed;

  /** @throws LedgerError `ERR_LEDGER_AHEAD`, `ERR_HISTORY_LOST`, `ERR_DATABASE_…`; LogRefusedError for a file that is not what it should be */
  async open({ log, generations, references, onFeedRefused, ...projecting }: ProjectionOptions): Promise<void> {
    const { store: live, generation } = await generations.openLive();
    const store = new SwitchableStore(live);
    try {
      const projector = await Projector.open({ store, topics: log.topics, ...projecting, publish: (news) => this.#publish(news) });
      if (onFeedRefused) this.#feed = await ConsentFeed.open({ log, places: projector.applied, onRefused: onFeedRefused });
      const from = await startsOf(log, projector.applied);
      this.#open = { log, store, projector, generations, generation, isShared: projecting.isShared ?? false, from, references };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get #parts(): ProjectionParts {
    if (!this.#open) throw new LedgerError('ERR_LEDGER_BEHIND', 'The log or the ledger is not there yet. Try again soon.');
    return this.#open;
  }

  get log(): EventLog {
    return this.#parts.log;
  }

  get store(): LedgerStore {
    return this.#parts.store;
  }

  get projector(): Projector {
    return this.#parts.projector;
  }

  /** Where reading of the log starts: the stored places, or later where retention moved the log's start. */
  get from(): LogPositions {
    return this.#parts.from;
  }

  /** The names of sessions and persons in what is read. */
  get references(): References {
    return this.#parts.references;
  }

  /** Which generation of tables is live. */
  get generation(): number {
    return this.#parts.generation;
  }

  /** The last digest a replay found. */
  get knownDigest(): KnownDigest | undefined | Promise<KnownDigest | undefined> {
    return this.#parts.generations.knownDigest;
  }

  /**
   * Takes a rebuilt generation into use while everything runs: what it lacks is folded first, then readers see it (X4).
   * @throws LedgerError `ERR_LEDGER_MISSING`
   */
  async switchTo(generation: number): Promise<void> {
    const { log, store, projector, generations } = this.#parts;
    const next = await generations.openBuilt(generation);
    let isTaken = false;
    try {
      await projector.betweenCommits(async (applied) => {
        await rebuild({ log, store: next, upTo: applied });
        await store.switchTo(next);
        isTaken = true;
        await generations.switchTo(generation);
        this.#open = { ...this.#parts, generation };
      });
    } finally {
      if (!isTaken) await next.close();
    }
  }

  /**
   * Resolves when the batch is in the ledger, in the generation that is live then.
   * @throws LedgerError `ERR_LEDGER_TAKEN`: among projectors that share the ledger, reading begins anew
   */
  async take(batch: RecordBatch): Promise<void> {
    const { projector, isShared, generation } = this.#parts;
    try {
      await projector.take(batch);
    } catch (error) {
      if (!isTaken(error) || isShared) throw error;
      if (generation === this.generation) await this.#follow(error);
      await projector.take(batch);
    }
  }

  /**
   * Where reading of these partitions goes on, now that this projector was given them: at the places that the live generation holds,
   * whichever that is now, or later where retention moved the log's start (X3).
   * @throws LedgerError `ERR_HISTORY_LOST`; whatever log and store throw while they are away
   */
  async takeUp(partitions: Partitions): Promise<LogPositions> {
    await this.#openLive();
    const { log, projector } = this.#parts;
    const places = await projector.takeUp();
    for (const [topic, ofTopic] of Object.entries(partitions)) {
      const ranges = await log.ends(topic);
      if (ofTopic.some((partition) => places[topic]![partition]! < ranges[partition]!.start)) return startsOf(log, places);
    }
    return places;
  }

  /** Whether another generation is live than the one that is open here. */
  async isReplaced(): Promise<boolean> {
    const live = await this.#parts.generations.live;
    return live !== undefined && live !== this.generation;
  }

  async #openLive(): Promise<void> {
    if (!(await this.isReplaced())) return;
    const { store, generations } = this.#parts;
    const next = await generations.openLive();
    await store.switchTo(next.store);
    this.#open = { ...this.#parts, generation: next.generation };
  }

  /** Who reads everything goes on where it is: what the live generation lacks until there is folded first. @throws `error` where no other one is live */
  #follow(error: unknown): Promise<void> {
    const follow = async () => {
      if (!(await this.isReplaced())) throw error;
      const { log, projector, store, generations } = this.#parts;
      const next = await generations.openLive();
      await rebuild({ log, store: next.store, upTo: projector.applied });
      await store.switchTo(next.store);
      await projector.takeUp();
      this.#open = { ...this.#parts, generation: next.generation };
    };
    return (this.#following ??= follow().finally(() => (this.#following = undefined)));
  }

  async #publish(news: readonly FactEvent[]): Promise<void> {
    await this.#feed?.publish(news);
  }

  /** Why this ledger does not keep up, in words; empty when it does. */
  get problems(): string[] {
    if (!this.#open) return ['the log or the ledger is not there yet'];
    const { faults, outage, stoppedBy } = this.#open.projector.health;
    return [
      ...(stoppedBy ? [stoppedBy.message] : []),
      ...(outage === undefined ? [] : ['The ledger database does not answer; the projector waits for it.']),
      ...faults.map(
        ({ topic, partition, offset }) =>
          `A bug stopped the projection of ${topic} partition ${partition} at offset ${offset}: update doorledger.`,
      ),
    ];
  }

  /** Takes no more: an outage of the ledger holds nobody up. */
  async drain(): Promise<void> {
    this.#feed?.close();
    await this.#open?.projector.close();
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#open?.store.close();
  }
}

export interface ProjectionOptions extends Pick<ProjectorOptions, 'isShared' | 'onFault' | 'onOutage' | 'onSettled'> {
  readonly log: EventLog;
  /** Embedded: the caller holds the ledger's lock of the data folder. */
  readonly generations: Generations;
  readonly references: References;
  /** Told of what the log refuses for the public feeds. Absent where this process may not write the log: then it writes no feed. */
  readonly onFeedRefused?: (error: unknown) => void;
}
