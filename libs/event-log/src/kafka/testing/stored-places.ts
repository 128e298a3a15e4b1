import type { LogPositions, RecordBatch } from '../../event-log.js';
import type { Partitions } from '../division.js';

/** What a member told of one batch. `stored` moved the place; `again` came from before it, `skipped` from after it. */
export interface Told {
  readonly member: string;
  readonly partition: number;
  readonly offset: number;
  readonly verdict: 'stored' | 'again' | 'skipped';
}

/** The stored places of one topic, moved by compare-and-set as a ledger moves them, and a memory of everything that was tried. */
export class StoredPlaces {
  readonly told: Told[] = [];
  readonly #next: number[];
  readonly #waiting = new Set<() => void>();
  #failure?: Error;

  constructor(partitions: number) {
    this.#next = new Array<number>(partitions).fill(0);
  }

  get all(): readonly number[] {
    return [...this.#next];
  }

  readonly placesOf = async (partitions: Partitions): Promise<LogPositions> =>
    Object.fromEntries(Object.keys(partitions).map((topic) => [topic, this.all]));

  /** Records stored so far. */
  get count(): number {
    return this.#next.reduce((sum, next) => sum + next, 0);
  }

  /** What ought not to be. */
  get wrong(): readonly Told[] {
    return this.told.filter(({ verdict }) => verdict !== 'stored');
  }

  store(
    member: string,
    { partition, records }: Pick<RecordBatch, 'partition'> & { readonly records: readonly { readonly offset: number }[] },
  ): void {
    const { offset } = records[0]!;
    const next = this.#next[partition]!;
    const verdict = offset === next ? 'stored' : offset < next ? 'again' : 'skipped';
    this.told.push({ member, partition, offset, verdict });
    if (verdict === 'stored') this.#next[partition] = records.at(-1)!.offset + 1;
    else this.#failure = new Error(`${member} told of ${partition}:${offset} ${verdict}, next was ${next}`);
    this.look();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.look();
  }

  /** Rejects once something was told that ought not to be, or after `fail`. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!this.#failure && !isSo()) return;
        this.#waiting.delete(look);
        if (this.#failure) reject(this.#failure);
        else resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** To be called when what `until` looks at lies elsewhere. */
  readonly look = (): void => {
    for (const look of this.#waiting) look();
  };
}
