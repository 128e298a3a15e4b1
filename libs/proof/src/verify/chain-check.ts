import type { PartitionRange, StoredRecord } from '@doorledger/event-log';
import { chainStart, extendChain, type Chain } from '../chain/chain.js';
import type { Scratch, SignedHead } from './sqlite-scratch.js';
import { placeText, type Violation } from './violation.js';

interface Running {
  chain: Chain;
  /** From here on a checkpoint can agree. */
  readonly since: number;
  /** Up to here a checkpoint has agreed. */
  agreed: number;
}

/**
 * Compares the records of one partition, in offset order, with everything that was signed of it. A partition that was cut begins at the
 * first checkpoint past the cut: between the two only the records' own sums speak.
 */
export class ChainCheck {
  readonly #topic: string;
  readonly #partition: number;
  readonly #range: PartitionRange;
  readonly #starts: ReadonlySet<number>;
  readonly #heads: Iterator<SignedHead, undefined>;
  #head: SignedHead | undefined;
  /** By where the chain begins: a replay after a cut begins another one. */
  readonly #running = new Map<number, Running>();
  #covered = 0;

  constructor(scratch: Scratch, topic: string, partition: number, range: PartitionRange) {
    this.#topic = topic;
    this.#partition = partition;
    this.#range = range;
    this.#starts = new Set(scratch.startsOf(topic, partition));
    this.#heads = scratch.headsOf(topic, partition);
    this.#next();
  }

  /** How many offsets lie under a checkpoint that agreed. */
  get covered(): number {
    return this.#covered;
  }

  take(record: StoredRecord): Violation | undefined {
    const { offset } = record;
    const violation = this.#compareUpTo(offset);
    if (violation) return violation;
    if (this.#starts.has(offset)) this.#run(chainStart(this.#topic, this.#partition, offset), offset);
    for (const running of this.#running.values()) running.chain = extendChain(running.chain, record);
    return undefined;
  }

  /** After the last record. */
  end(): Violation | undefined {
    const { end } = this.#range;
    const violation = this.#compareUpTo(end);
    if (violation || !this.#head) return violation;
    return this.#violation(end, this.#head.next, 'are gone from the end of the log, and a checkpoint says that they were there');
  }

  #compareUpTo(offset: number): Violation | undefined {
    for (; this.#head && this.#head.next <= offset; this.#next()) {
      const { from, next, head } = this.#head;
      const running = this.#running.get(from);
      if (!running && from < this.#range.start) {
        if (next >= this.#range.start) this.#run({ from, head }, next);
        continue;
      }
      if (!running) return this.#violation(from, next, 'are not what a checkpoint was signed for: the first of them is gone');
      if (running.chain.head !== head)
        return this.#violation(
          running.agreed,
          next,
          'are not what a checkpoint was signed for: one of them was changed, removed, added or moved',
        );
      running.agreed = next;
      this.#covered = Math.max(this.#covered, next - running.since);
    }
    return undefined;
  }

  #run(chain: Chain, since: number): void {
    if (!this.#running.has(chain.from)) this.#running.set(chain.from, { chain, since, agreed: since });
  }

  #next(): void {
    this.#head = this.#heads.next().value;
  }

  #violation(offset: number, to: number, what: string): Violation {
    const place = { topic: this.#topic, partition: this.#partition, offset, to };
    return { statement: 'chains', sentence: `The records ${placeText(place)} ${what}.`, positions: [place] };
  }
}
