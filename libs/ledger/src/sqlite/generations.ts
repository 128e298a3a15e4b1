import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoorledgerError } from '@doorledger/contracts';
import { acquireWriterLock, makeFolder } from '@doorledger/event-log';
import { LedgerError } from '../errors.js';
import type { BuildingHold, Generations, KnownDigest } from '../generations.js';
import type { LedgerStore } from '../store.js';
import { openSqliteLedger } from './sqlite-store.js';

const FILE = /^ledger\.(\d+)\.db$/;

/**
 * The ledger's generations in a data folder: `ledger.<n>.db`, and `ledger.current` that names the live one (design §5).
 * Writing needs the folder's writer lock; reading does not.
 */
export class LedgerGenerations implements Generations {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * The live generation; undefined before the first.
   * @throws LedgerError `ERR_LEDGER_POINTER` where `ledger.current` names none
   */
  get live(): number | undefined {
    const pointer = this.#at('ledger.current');
    if (!existsSync(pointer)) return undefined;
    const text = statSync(pointer).isFile() ? readFileSync(pointer, 'utf8').trim() : '';
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new LedgerError(
      'ERR_LEDGER_POINTER',
      'The file ledger.current in the data folder names no generation of the ledger: remove it, and the next start folds the ledger anew.',
    );
  }

  /**
   * Opens the live generation for the projector. A missing one, and one of another schema or fold, is made anew and empty:
   * the projector then folds the log from its start.
   */
  openLive(): { readonly store: LedgerStore; readonly generation: number } {
    makeFolder(this.#dir);
    const { live } = this;
    if (live === undefined) return this.#openFirst(Math.max(0, ...this.#present()) + 1);
    try {
      return { store: openSqliteLedger(this.#file(live)), generation: live };
    } catch (error) {
      if (!(error instanceof DoorledgerError) || error.code !== 'ERR_FILE_OLDER') throw error;
      return this.#openFirst(live + 1);
    }
  }

  /** The live generation beside the process that writes it. */
  openLiveReader(): { readonly store: LedgerStore; readonly generation: number } {
    const { live } = this;
    if (live === undefined)
      throw new LedgerError('ERR_LEDGER_MISSING', 'There is no ledger in this data folder yet: start doorledger on it first.');
    return { store: openSqliteLedger(this.#file(live), 'reader'), generation: live };
  }

  /** A generation that a replay has built, to write on. */
  openBuilt(generation: number): LedgerStore {
    if (generation === this.live || !existsSync(this.#file(generation)))
      throw new LedgerError('ERR_LEDGER_MISSING', `There is no rebuilt generation ${generation} here: run doorledger replay first.`);
    return openSqliteLedger(this.#file(generation));
  }

  holdBuilding(): BuildingHold {
    const lock = acquireWriterLock(this.#dir, 'replay');
    return { close: async () => lock.release() };
  }

  /** The generation a replay builds beside the live one; what an interrupted replay left of it is kept, if it can be. */
  openNext(): { readonly store: LedgerStore; readonly generation: number } {
    const generation = (this.live ?? 0) + 1;
    try {
      return { store: openSqliteLedger(this.#file(generation), 'builder'), generation };
    } catch (error) {
      if (!(error instanceof DoorledgerError)) throw error;
      this.discard(generation);
      return { store: openSqliteLedger(this.#file(generation), 'builder'), generation };
    }
  }

  /** The digest that the last replay found for a generation, and the places it is of. A file that says nothing readable is as none: the next replay writes it anew. */
  get knownDigest(): KnownDigest | undefined {
    try {
      return JSON.parse(readFileSync(this.#at('ledger.digest'), 'utf8')) as KnownDigest;
    } catch {
      return undefined;
    }
  }

  rememberDigest(digest: KnownDigest): void {
    this.#writeAside('ledger.digest', JSON.stringify(digest));
  }

  /** Makes a generation the live one and removes every other. Both have to be closed. */
  switchTo(generation: number): void {
    this.#writeAside('ledger.current', `${generation}\n`);
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

  #writeAside(name: string, text: string): void {
    writeFileSync(this.#at(`${name}.new`), text, { flush: true });
    renameSync(this.#at(`${name}.new`), this.#at(name));
  }

  #present(): number[] {
    return readdirSync(this.#dir).flatMap((name) => FILE.exec(name)?.slice(1).map(Number) ?? []);
  }

  #file(generation: number): string {
    return this.#at(`ledger.${generation}.db`);
  }

  #at(name: string): string {
    return join(this.#dir, name);
  }
}
