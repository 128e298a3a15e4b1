import { LedgerGenerations, ledgerReader, type LedgerPositions, type LedgerReader, type LedgerStore } from '@doorledger/ledger';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 500;

/**
 * The embedded ledger that a projector in another process writes. Between processes there is no signal: its places, and
 * which generation is live, are looked up twice a second.
 */
export class LedgerBeside {
  readonly #generations: LedgerGenerations;
  readonly #topics: ReadonlyMap<string, number>;
  readonly #timer: NodeJS.Timeout;
  #onPositions?: (places: LedgerPositions) => void;
  #store: LedgerStore;
  #generation: number;

  private constructor(generations: LedgerGenerations, topics: ReadonlyMap<string, number>) {
    this.#generations = generations;
    this.#topics = topics;
    ({ store: this.#store, generation: this.#generation } = generations.openLiveReader());
    this.#timer = setInterval(() => void this.#look().catch(() => {}), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Waits until a projector has made the ledger (K15). */
  static async open(dir: string, topics: ReadonlyMap<string, number>, onWait: () => void, signal: AbortSignal): Promise<LedgerBeside> {
    const generations = new LedgerGenerations(dir);
    if (generations.live === undefined) onWait();
    while (generations.live === undefined) await sleep(LOOK_EVERY_MS, undefined, { signal });
    return new LedgerBeside(generations, topics);
  }

  readonly reader: LedgerReader = {
    positions: () => this.#now.positions(),
    sessionRow: (key) => this.#now.sessionRow(key),
    openRunsOf: (hostId) => this.#now.openRunsOf(hostId),
    openRunsQuietSince: (timestamp, limit) => this.#now.openRunsQuietSince(timestamp, limit),
    messagesOf: (key) => this.#now.messagesOf(key),
    turn: (turnId) => this.#now.turn(turnId),
  };

  onPositions(listener: (places: LedgerPositions) => void): void {
    this.#onPositions = listener;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#store.close();
  }

  get #now(): LedgerReader {
    return ledgerReader(this.#store, this.#topics);
  }

  async #look(): Promise<void> {
    const { live } = this.#generations;
    if (live !== undefined && live !== this.#generation) {
      const old = this.#store;
      ({ store: this.#store, generation: this.#generation } = this.#generations.openLiveReader());
      await old.close();
    }
    this.#onPositions?.(await this.reader.positions());
  }
}
