import { topics } from '@doorledger/contracts';
import type { Meeting } from '../append-and-meet.js';
import type { RecordBatch } from '../event-log.js';
import { partitionOf } from '../partition.js';
import { firstSpend, readDecisionSpend, type DecisionSpend } from './decision-record.js';

/** What a ledger has of one key, and the next offset of the key's partition of that same moment. */
export interface DecisionRow {
  readonly spend?: DecisionSpend;
  readonly next: number;
}

export interface DecisionViewOptions {
  readonly row: (key: string) => Promise<DecisionRow>;
  /** The next offset per partition of the topic `spend` as the ledger had it when the own tail began there (L9). */
  readonly from: readonly number[];
  /** Spends kept because the ledger does not have them yet; past it `isBehind` is true. */
  readonly maxRecent?: number;
}

const RELOADS = 5;

/** The ledger gives what is older than this host has let go. */
export class LedgerFellBackError extends Error {}

/**
 * A host's view of spent decisions (L9): the ledger's row of a key, asked for on demand, and what the own tail has met past the ledger. Memory
 * is bounded by how far the ledger is behind.
 */
export class DecisionView {
  readonly #options: DecisionViewOptions;
  /** The first spend of each key past the ledger. */
  readonly #recent = new Map<string, DecisionSpend>();
  /** Per partition, the keys in `#recent` by offset, and the offset before which they were let go. */
  readonly #order: { readonly offset: number; readonly key: string }[][];
  readonly #dropped: number[];
  readonly #waiting = new Map<string, () => void>();

  constructor(options: DecisionViewOptions) {
    this.#options = options;
    this.#dropped = [...options.from];
    this.#order = options.from.map(() => []);
  }

  /** The ledger is so far behind that this host must not take on more (503 `ERR_LEDGER_BEHIND`). */
  get isBehind(): boolean {
    return this.#recent.size > (this.#options.maxRecent ?? 200_000);
  }

  /** Spends that are kept. */
  get size(): number {
    return this.#recent.size;
  }

  /** Takes the tail's next batch of the topic `spend`. */
  apply({ topic, partition, records }: RecordBatch): void {
    if (topic !== topics.spend.name) return;
    for (const record of records) {
      const { key, offset } = record;
      const spend = readDecisionSpend(record);
      if (!spend) continue;
      if (offset >= this.#dropped[partition]! && !this.#recent.has(key)) {
        this.#recent.set(key, spend);
        this.#order[partition]!.push({ offset, key });
      }
      this.#waiting.get(record.decoded.id ?? '')?.();
    }
  }

  /** The ledger has everything of this partition before `next`. */
  projected(partition: number, next: number): void {
    const order = this.#order[partition]!;
    let count = 0;
    while (count < order.length && order[count]!.offset < next) this.#recent.delete(order[count++]!.key);
    if (count > 0) order.splice(0, count);
    this.#dropped[partition] = Math.max(this.#dropped[partition]!, next);
  }

  /** Resolves when the tail meets the record of this event id (L7). */
  meet(eventId: string): Meeting<void> {
    const met = new Promise<void>((resolve) => this.#waiting.set(eventId, resolve));
    return { met, forget: () => void this.#waiting.delete(eventId) };
  }

  /** The standing spend of a key as of the own tail's position or later; undefined for none. @throws LedgerFellBackError */
  async standing(key: string): Promise<DecisionSpend | undefined> {
    const partition = partitionOf(key, this.#dropped.length);
    for (let tries = 0; tries < RELOADS; tries++) {
      // In this order: what is let go while the row is read is in the row, if the row is not older than what was let go before.
      const recent = this.#recent.get(key);
      const dropped = this.#dropped[partition]!;
      const row = await this.#options.row(key);
      if (row.next >= dropped) return firstSpend(row.spend, recent);
    }
    throw new LedgerFellBackError('The ledger kept giving less of its spends than it had before.');
  }
}
