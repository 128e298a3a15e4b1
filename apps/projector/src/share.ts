import type { EventLog } from '@doorledger/event-log';
import type { KafkaEventLog, Partitions } from '@doorledger/event-log/kafka';
import { transports } from '@doorledger/event-log/transport';
import { projectedTopics } from '@doorledger/ledger';
import type { Opening } from '../../host/src/service.js';
import { isTaken, type Projection } from './projection.js';

/** Between processes there is no signal for a switch of the ledger's generation. */
const LOOK_EVERY_MS = 500;

export const isShareable = (log: EventLog): log is KafkaEventLog => 'followShared' in log;

export interface ShareOptions {
  readonly log: KafkaEventLog;
  readonly projection: Projection;
  /** The consumer group of all projectors that fold this log into the same ledger. */
  readonly group: string;
  /** Told what this projector folds, whenever that changes. */
  readonly onHeld: (held: Partitions) => void;
}

/** One of several projectors on one ledger (K11): each folds the partitions that their group gives it, from the ledger's places. */
export class Share {
  #held?: Partitions;
  #watch?: NodeJS.Timeout;
  #isBegun = false;

  /** Why it does not fold yet, in words. */
  get problems(): string[] {
    return this.#isBegun && !this.#held ? ['the projectors are sharing out the partitions'] : [];
  }

  async begin({ log, projection, group, onHeld }: ShareOptions, opening: Pick<Opening, 'readShare'>): Promise<void> {
    this.#isBegun = true;
    const { subscription } = await opening.readShare({
      transport: transports.projector,
      log,
      group,
      topics: projectedTopics,
      placesOf: (partitions) => projection.takeUp(partitions),
      isFenced: isTaken,
      onHeld: (held) => {
        this.#held = held;
        onHeld(held);
      },
    });
    const look = async () => {
      if (await projection.isReplaced()) subscription!.beginAnew();
    };
    // What cannot be asked now is asked again at the next look.
    this.#watch = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS);
    this.#watch.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
  }
}
