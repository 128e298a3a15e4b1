import { encode, eventOf, topics, type EventOrigin } from '@doorledger/contracts';
import { NotMetError, appendAndMeet } from '../append-and-meet.js';
import type { EventLog, PartitionRange, Position } from '../event-log.js';
import { partitionOf } from '../partition.js';
import { decisionKey } from './decision-record.js';
import type { DecisionView } from './decision-view.js';

export interface DecisionLedgerOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly ends: EventLog['ends'];
  readonly view: DecisionView;
  readonly origin: EventOrigin;
  /** Resolves true once the own tail has applied the record there, false after `timeoutMs`. */
  readonly reach: (position: Position, timeoutMs: number) => Promise<boolean>;
  /** How long to wait for the own tail, ms. */
  readonly timeoutMs?: number;
}

/** One id of somebody else's ledger. `namespace` is one by `isNamespace`. */
export interface DecisionId {
  readonly namespace: string;
  readonly id: string;
}

/** Other people's ledgers (N40): any id is spent once, by the order of the log. Answers only what stands, as the own tail has read it. */
export class DecisionLedger {
  readonly #options: DecisionLedgerOptions;
  #asking?: Promise<PartitionRange[]>;
  #askingNext?: Promise<PartitionRange[]>;

  constructor(options: DecisionLedgerOptions) {
    this.#options = options;
  }

  /**
   * Whether this claim is the one that spent the id: true now, and for every repeat of the same `claimId`.
   * @throws AppendRefusedError: it was never appended; NotMetError: nobody knows, and nothing of another claim stands
   */
  async spend({ namespace, id }: DecisionId, claimId: string): Promise<boolean> {
    const { log, view, origin, timeoutMs = 5000 } = this.#options;
    const key = decisionKey(namespace, id);
    // A repeat leaves no record. Nothing else depends on this look.
    const before = await view.standing(key);
    if (before) return before.claimId === claimId;
    const event = eventOf({ type: 'decision.spent', data: { namespace, id, claimId } }, origin);
    const record = { key, ...encode(event) };
    try {
      await appendAndMeet({ log, topic: topics.spend.name, record, meeting: view.meet(event.id), timeoutMs });
    } catch (error) {
      // Whoever else has it by now, this claim can never stand; and a copy of its own that was met is its own.
      const standing = error instanceof NotMetError ? await view.standing(key) : undefined;
      if (standing) return standing.claimId === claimId;
      throw error;
    }
    return (await view.standing(key))?.claimId === claimId;
  }

  /** Whether anybody has spent the id, as of the log's end at the time of the question or later. @throws NotMetError */
  async isSpent({ namespace, id }: DecisionId): Promise<boolean> {
    const { view, reach, timeoutMs = 5000 } = this.#options;
    const key = decisionKey(namespace, id);
    const ends = await this.#ends();
    const partition = partitionOf(key, ends.length);
    const { end } = ends[partition]!;
    if (end > 0 && !(await reach({ topic: topics.spend.name, partition, offset: end - 1 }, timeoutMs)))
      throw new NotMetError('The own tail did not reach the end of the log in time.');
    return (await view.standing(key)) !== undefined;
  }

  /** Asked of the log after this call began; questions that come while another waits share the next one. */
  #ends(): Promise<PartitionRange[]> {
    if (!this.#asking) return (this.#asking = this.#ask());
    return (this.#askingNext ??= this.#asking
      .catch(() => {})
      .then(() => {
        this.#askingNext = undefined;
        return (this.#asking = this.#ask());
      }));
  }

  #ask(): Promise<PartitionRange[]> {
    const asking = this.#options.ends(topics.spend.name).finally(() => {
      if (this.#asking === asking) this.#asking = undefined;
    });
    return asking;
  }
}
