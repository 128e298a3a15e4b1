import type { EventLog, LogPositions } from '@doorledger/event-log';
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

interface ProjectionParts {
  readonly log: EventLog;
  readonly store: SwitchableStore;
  readonly projector: Projector;
  readonly generations: Generations;
  readonly generation: number;
  readonly from: LogPositions;
  readonly sessionRefOf: (sessionId: string) => string | undefined;
}

/** What the projector and the ledger API work with; also their injection token. Until the log and the ledger are there it answers 503 (K15). */
export class Projection {
  #open?: ProjectionParts;

  /** @throws LedgerError `ERR_LEDGER_AHEAD`, `ERR_HISTORY_LOST`, `ERR_DATABASE_…`; LogRefusedError for a file that is not what it should be */
  async open({ log, generations, sessionRefOf, ...hooks }: ProjectionOptions): Promise<void> {
    const { store: live, generation } = await generations.openLive();
    const store = new SwitchableStore(live);
    try {
      const projector = await Projector.open({ store, topics: log.topics, ...hooks });
      const from = await startsOf(log, projector.applied);
      this.#open = { log, store, projector, generations, generation, from, sessionRefOf };
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

  /** The reference of a session id; undefined where it cannot be one. */
  get sessionRefOf(): ProjectionParts['sessionRefOf'] {
    return this.#parts.sessionRefOf;
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

  async close(): Promise<void> {
    await this.#open?.projector.close();
    await this.#open?.store.close();
  }
}

export interface ProjectionOptions extends Pick<ProjectorOptions, 'onFault' | 'onOutage'> {
  readonly log: EventLog;
  /** Embedded: the caller holds the ledger's lock of the data folder. */
  readonly generations: Generations;
  readonly sessionRefOf: ProjectionParts['sessionRefOf'];
}
