import type { EventLog, LogPositions } from '@doorledger/event-log';
import {
  LedgerGenerations,
  Projector,
  projectedTopics,
  startsOf,
  type KnownDigest,
  type LedgerStore,
  type ProjectorOptions,
} from '@doorledger/ledger';

/** What the projector and the ledger API work with; also their injection token. */
export class Projection {
  constructor(
    readonly log: EventLog,
    readonly store: LedgerStore,
    readonly projector: Projector,
    /** Which generation of tables is live. */
    readonly generation: number,
    /** Where reading of the log starts: the stored places, or later where retention moved the log's start. */
    readonly from: LogPositions,
    /** The last digest a replay found. */
    readonly knownDigest: () => KnownDigest | undefined,
    /** The reference of a session id; undefined where it cannot be one. */
    readonly sessionRefOf: (sessionId: string) => string | undefined,
  ) {}

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
  readonly sessionRefOf: Projection['sessionRefOf'];
}

/**
 * Opens the live generation of the embedded ledger.
 * @throws LedgerError `ERR_LEDGER_AHEAD`, `ERR_HISTORY_LOST`; LogRefusedError for a file that is not what it should be
 */
export async function openProjection({ log, dir, sessionRefOf, ...hooks }: ProjectionOptions): Promise<Projection> {
  const generations = new LedgerGenerations(dir);
  const { store, generation } = generations.openLive();
  try {
    const projector = await Projector.open({ store, topics: log.topics, ...hooks });
    const { applied } = projector;
    const from = await startsOf(log, Object.fromEntries(projectedTopics.map((topic) => [topic, applied[topic]!])));
    return new Projection(log, store, projector, generation, from, () => generations.knownDigest, sessionRefOf);
  } catch (error) {
    await store.close();
    throw error;
  }
}
