import { LedgerError } from './errors.js';
import type { Outage } from './outage.js';
import { readPlaces } from './queries/places.js';
import type { LedgerCommit, LedgerStore } from './store.js';

/** Among projectors that share a ledger it passes by itself. */
export const ledgerTaken = (isShared = false) =>
  new LedgerError(
    'ERR_LEDGER_TAKEN',
    isShared
      ? 'Another projector moved a place of this ledger that this one was to move: it goes on from where the ledger is.'
      : 'Another projector writes to this ledger: stop one of them, or give each its own ledger.',
  );

export interface CommitLineOptions {
  readonly store: LedgerStore;
  /** Partition count per topic name. */
  readonly topics: ReadonlyMap<string, number>;
  /** Other projectors commit to the same store. */
  readonly isShared?: boolean;
  readonly outage: Outage;
}

/** Commits one after the other, in the order given, while the next is being made. After the first that fails there are no more. */
export class CommitLine {
  readonly #options: CommitLineOptions;
  #last: Promise<void> = Promise.resolve();
  #brokenBy?: Error;

  constructor(options: CommitLineOptions) {
    this.#options = options;
  }

  /** Resolves when everything given so far is committed or refused. */
  get last(): Promise<void> {
    return this.#last;
  }

  /**
   * `onCommitted` runs at once after the commit and before the next begins.
   * @throws LedgerError `ERR_LEDGER_TAKEN` when another projector moved a place, here or in an earlier commit
   */
  add(commit: LedgerCommit, onCommitted: () => void): Promise<void> {
    const committed = this.#last.then(async () => {
      if (this.#brokenBy) throw this.#brokenBy;
      if (commit.advances.length > 0) await this.#write(commit);
      onCommitted();
    });
    this.#last = committed.catch((error: Error) => void (this.#brokenBy ??= error));
    return committed;
  }

  /** What was added and has not begun is refused. */
  break(error: Error): void {
    this.#brokenBy ??= error;
  }

  async #write(commit: LedgerCommit): Promise<void> {
    let isRepeated = false;
    const outcome = await this.#options.outage.untilAnswered(async () => {
      // A commit that failed may have happened: the places tell.
      if (isRepeated && (await this.#isThere(commit))) return 'committed';
      isRepeated = true;
      return this.#options.store.commit(commit);
    });
    if (outcome === 'stale') throw ledgerTaken(this.#options.isShared);
  }

  async #isThere({ advances }: LedgerCommit): Promise<boolean> {
    const { positions } = await readPlaces(this.#options.store.db, this.#options.topics);
    return advances.every(({ topic, partition, to }) => positions[topic]?.[partition] === to.next);
  }
}
