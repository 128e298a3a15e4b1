import { topics as allTopics } from '@doorledger/contracts';
import { partitionOf } from '@doorledger/event-log';
import { listOwnSessions } from './queries/own-sessions.js';
import { openRunsOf, openRunsQuietSince } from './queries/open-runs.js';
import { readPlaces } from './queries/places.js';
import { readSessionState } from './queries/session-state.js';
import { readStandingContent } from './queries/standing-content.js';
import { readTurn, readTurnDetail } from './queries/turns.js';
import type { LedgerReader } from './reader.js';
import type { LedgerStore } from './store.js';

/** The host's view of a ledger. `topics` gives the partition count per topic name. */
export function ledgerReader(store: Pick<LedgerStore, 'db'>, topics: ReadonlyMap<string, number>): LedgerReader {
  const partitions = topics.get(allTopics.session.name)!;
  return {
    positions: () => readPlaces(store.db, topics),
    sessionRow: (key) => readSessionState(store.db, key, partitionOf(key, partitions)),
    openRunsOf: (hostId) => openRunsOf(store.db, hostId),
    openRunsQuietSince: (timestamp, limit) => openRunsQuietSince(store.db, timestamp, limit),
    messagesOf: (sessionKey) => readStandingContent(store.db, sessionKey),
    turn: (turnId) => readTurn(store.db, turnId),
    turnDetail: (turnId) => readTurnDetail(store.db, turnId),
    isNamed: async (ref) => (await store.db.selectFrom('subject').select('ref').where('ref', '=', ref).executeTakeFirst()) !== undefined,
    sessionsOf: (owner, page) => listOwnSessions(store.db, owner, page),
  };
}
