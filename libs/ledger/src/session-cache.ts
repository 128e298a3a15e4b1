import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { LRUCache } from 'lru-cache';
import { freshSession, type FoldedSession } from './projection/session.js';
import { readFoldedSessions } from './queries/folded-sessions.js';
import type { LedgerStore } from './store.js';

/** A few kB each as a rule, 100 kB at the fold's bounds. */
const MAX_SESSIONS = 10_000;

/**
 * The sessions a projector has folded lately. They are right as long as its commits succeed: the compare-and-set of places
 * tells when anybody else wrote.
 */
export class SessionCache {
  readonly #store: Pick<LedgerStore, 'db'>;
  readonly #stored: LRUCache<string, FoldedSession>;
  /** Folded and not committed: the store does not have them, so they stay here whatever the bound. */
  readonly #ahead = new Map<string, FoldedSession>();

  constructor(store: Pick<LedgerStore, 'db'>, max = MAX_SESSIONS) {
    this.#store = store;
    this.#stored = new LRUCache({ max });
  }

  /** Copies of the sessions of these batches, to fold on: one query for all that are not known. */
  async checkOut(batches: readonly RecordBatch[]): Promise<Map<string, FoldedSession>> {
    const out = new Map<string, FoldedSession>();
    const unknown: string[] = [];
    for (const { topic, partition, records } of batches) {
      if (topic !== topics.session.name) continue;
      for (const { key } of records) {
        if (out.has(key)) continue;
        const known = this.#ahead.get(key) ?? this.#stored.get(key);
        if (!known) unknown.push(key);
        out.set(key, known ? { ...known } : freshSession(key, partition));
      }
    }
    if (unknown.length > 0) for (const session of await readFoldedSessions(this.#store.db, unknown)) out.set(session.key, session);
    return out;
  }

  /** After they were folded: the next batch goes on from them. */
  checkIn(sessions: readonly FoldedSession[]): void {
    for (const session of sessions) this.#ahead.set(session.key, session);
  }

  /** After their commit. */
  committed(sessions: readonly FoldedSession[]): void {
    for (const session of sessions) {
      if (this.#ahead.get(session.key) === session) this.#ahead.delete(session.key);
      this.#stored.set(session.key, session);
    }
  }
}
