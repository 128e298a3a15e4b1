import type { EventLog, LogPositions } from '@doorledger/event-log';
import {
  LedgerGenerations,
  Projector,
  SwitchableStore,
  rebuild,
  startsOf,
  type KnownDigest,
  type LedgerStore,
  type ProjectorOptions,
} from '@doorledger/ledger';

interface ProjectionParts {
  readonly log: EventLog;
  readonly store: SwitchableStore;
  readonly projector: Projector;
  readonly generations: LedgerGenerations;
  readonly from: LogPositions;
  readonly sessionRefOf: (sessionId: string) => string | undefined;
}

/** What the projector and the ledger API work with; also their injection token. */
export class Projection {
  readonly log: EventLog;
  readonly store: LedgerStore;
  readonly projector: Projector;
  /** Where reading of the log starts: the stored places, or later where retention moved the log's start. */
  readonly from: LogPositions;
  /** The reference of a session id; undefined where it cannot be one. */
  readonly sessionRefOf: ProjectionParts['sessionRefOf'];
  readonly #parts: ProjectionParts;

  constructor(parts: ProjectionParts) {
    this.#parts = parts;
    ({ log: this.log, store: this.store, projector: this.projector, from: this.from, sessionRefOf: this.sessionRefOf } = parts);
  }

  /** Which generation of tables is live. */
  get generation(): number {
    return this.#parts.generations.live!;
  }

  /** The last digest a replay found. */
  get knownDigest(): KnownDigest | undefined {
    return this.#parts.generations.knownDigest;
  }

  /**
   * Takes a rebuilt generation into use while everything runs: what it lacks is folded first, then readers see it (X4).
   * @throws LedgerError `ERR_LEDGER_MISSING`
   */
  async switchTo(generation: number): Promise<void> {
    const { log, store, projector, generations } = this.#parts;
    const next = generations.openBuilt(generation);
    let isTaken = false;
    try {
      await projector.betweenCommits(async (applied) => {
        await rebuild({ log, store: next, upTo: applied });
        await store.switchTo(next);
        isTaken = true;
        generations.switchTo(generation);
      });
    } finally {
      if (!isTaken) await next.close();
    }
  }

  /** Why this ledger does not keep up, in words; empty when it does. */
  get problems(): string[] {
    const { faults, outage, stoppedBy } = this.projector.health;
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
    await this.projector.close();
    await this.store.close();
  }
}

export interface ProjectionOptions extends Pick<ProjectorOptions, 'onFault' | 'onOutage'> {
  readonly log: EventLog;
  /** The data folder; the caller holds its writer lock. */
  readonly dir: string;
  readonly sessionRefOf: ProjectionParts['sessionRefOf'];
}

/**
 * Opens the live generation of the embedded ledger.
 * @throws LedgerError `ERR_LEDGER_AHEAD`, `ERR_HISTORY_LOST`; LogRefusedError for a file that is not what it should be
 */
export async function openProjection({ log, dir, sessionRefOf, ...hooks }: ProjectionOptions): Promise<Projection> {
  const generations = new LedgerGenerations(dir);
  const store = new SwitchableStore(generations.openLive().store);
  try {
    const projector = await Projector.open({ store, topics: log.topics, ...hooks });
    const from = await startsOf(log, projector.applied);
    return new Projection({ log, store, projector, generations, from, sessionRefOf });
  } catch (error) {
    await store.close();
    throw error;
  }
}
