import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoorledgerError } from '@doorledger/contracts';
import { LedgerError } from '../errors.js';
import type { LedgerStore } from '../store.js';
import { openSqliteLedger } from './sqlite-store.js';

const FILE = /^ledger\.(\d+)\.db$/;

/**
 * The ledger's generations in a data folder: `ledger.<n>.db`, and `ledger.current` that names the live one (design §5).
 * Writing needs the folder's writer lock; reading does not.
 */
export class LedgerGenerations {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The live generation; undefined before the first. */
  get live(): number | undefined {
    const pointer = this.#at('ledger.current');
    return existsSync(pointer) ? Number(readFileSync(pointer, 'utf8')) : undefined;
  }

  /**
   * Opens the live generation for the projector. A missing one, and one of another schema or fold, is made anew and empty:
   * the projector then folds the log from its start.
   */
  openLive(): { readonly store: LedgerStore; readonly generation: number } {
    mkdirSync(this.#dir, { recursive: true });
    const { live } = this;
    if (live === undefined) return this.#openFirst(Math.max(0, ...this.#present()) + 1);
    try {
      return { store: openSqliteLedger(this.#file(live)), generation: live };
    } catch (error) {
      if (!(error instanceof DoorledgerError) || !['ERR_FILE_OLDER', 'ERR_FILE_MISSING'].includes(error.code)) throw error;
      return this.#openFirst(live + 1);
    }
  }

  /** The live generation beside the process that writes it. */
  openLiveReader(): { readonly store: LedgerStore; readonly generation: number } {
    const { live } = this;
    if (live === undefined) throw new LedgerError('ERR_LEDGER_MISSING', 'There is no ledger in this data folder yet: start doorledger on it first.');
    return { store: openSqliteLedger(this.#file(live), 'reader'), generation: live };
  }

  /** The generation a replay builds beside the live one; what an interrupted replay left of it is kept, if it can be. */
  openNext(): { readonly store: LedgerStore; readonly generation: number } {
    const generation = (this.live ?? 0) + 1;
    try {
      return { store: openSqliteLedger(this.#file(generation)), generation };
    } catch (error) {
      if (!(error instanceof DoorledgerError)) throw error;
      this.discard(generation);
      return { store: openSqliteLedger(this.#file(generation)), generation };
    }
  }

  /** Makes a generation the live one and removes every other. Both have to be closed. */
  switchTo(generation: number): void {
    const aside = this.#at('ledger.current.new');
    writeFileSync(aside, `${generation}\n`, { flush: true });
    renameSync(aside, this.#at('ledger.current'));
    for (const other of this.#present()) if (other !== generation) this.discard(other);
  }

  discard(generation: number): void {
    for (const suffix of ['', '-wal', '-shm', '-journal', '.new']) rmSync(this.#file(generation) + suffix, { force: true });
  }

  #openFirst(generation: number): { readonly store: LedgerStore; readonly generation: number } {
    this.discard(generation);
    const store = openSqliteLedger(this.#file(generation));
    this.switchTo(generation);
    return { store, generation };
  }

  #present(): number[] {
    return readdirSync(this.#dir).flatMap((name) => Number(FILE.exec(name)?.[1] ?? []) || []);
  }

  #file(generation: number): string {
    return this.#at(`ledger.${generation}.db`);
  }

  #at(name: string): string {
    return join(this.#dir, name);
  }
}
