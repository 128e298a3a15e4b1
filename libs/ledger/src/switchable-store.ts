import type { LedgerCommit, LedgerStore } from './store.js';

/** The store of the live generation, whichever that is: who holds this one need not know of a switch. */
export class SwitchableStore implements LedgerStore {
  #store: LedgerStore;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  get db(): LedgerStore['db'] {
    return this.#store.db;
  }

  commit(commit: LedgerCommit): Promise<'committed' | 'stale'> {
    return this.#store.commit(commit);
  }

  snapshot<T>(read: (db: LedgerStore['db']) => Promise<T>): Promise<T> {
    return this.#store.snapshot(read);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** From now on `next` answers; the store before it is closed when its running queries have ended. */
  async switchTo(next: LedgerStore): Promise<void> {
    const before = this.#store;
    this.#store = next;
    await before.db.connection().execute(async () => {});
    await before.close();
  }
}
