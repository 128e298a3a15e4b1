import type { FactData } from '@doorledger/contracts';
import { limits } from './limits.js';

const digits = (n: number): number => (n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : String(n).length);

/** `[,],` of one range. */
const PUNCTUATION = 4;

/**
 * A count while requests are added to it (E11). Its places are kept as the fact names them: ranges of neighbours, each one's first
 * place as the distance from the last place before it, the very first from 0.
 */
export class OpenCount {
  /** distance, length, distance, length, … */
  readonly #ranges: number[];
  #to: number;
  #last: number;
  #count = 1;
  #bytes: number;

  constructor(
    readonly reason: string,
    readonly firstSeq: number,
    readonly from: number,
  ) {
    this.#ranges = [firstSeq, 1];
    this.#bytes = PUNCTUATION + digits(firstSeq) + 1;
    this.#last = firstSeq;
    this.#to = from;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether another range could take it past 6 KiB. */
  get isFull(): boolean {
    return this.#bytes >= limits.seqsBytes;
  }

  /** Adds a request; `seq` is past every one that was added before. */
  add(seq: number, at: number): void {
    const length = this.#ranges.length - 1;
    if (seq === this.#last + 1) {
      const grown = ++this.#ranges[length]!;
      if (grown % 10 === 0) this.#bytes += digits(grown) - digits(grown - 1);
    } else {
      const distance = seq - this.#last;
      this.#ranges.push(distance, 1);
      this.#bytes += PUNCTUATION + digits(distance) + 1;
    }
    this.#last = seq;
    this.#count++;
    if (at > this.#to) this.#to = at;
  }

  /** What its fact says, beside whose it is. */
  data(): Omit<FactData<'ingress.counted'>, 'hostId' | 'bootId'> {
    const seqs: [number, number][] = [];
    for (let i = 0; i < this.#ranges.length; i += 2) seqs.push([this.#ranges[i]!, this.#ranges[i + 1]!]);
    return { reason: this.reason, from: this.from, to: this.#to, count: this.#count, seqs };
  }
}
