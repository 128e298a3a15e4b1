import { topics as allTopics } from '@doorledger/contracts';
import { partitionOf } from '@doorledger/event-log';
import { readApprovedBefore } from './queries/approved-before.js';
import { readArtifact } from './queries/artifacts.js';
import { readDecision } from './queries/decisions.js';
import { readDueConsents } from './queries/due-consents.js';
import { readFreezes } from './queries/freezes.js';
import { readGrant, readGrants } from './queries/grants.js';
import { readHolders } from './queries/holders.js';
import { readLostToolSessions } from './queries/lost-tool-sessions.js';
import { listOwnSessions } from './queries/own-sessions.js';
import { listKeysOwnedBy, readOwnedKey } from './queries/owned-keys.js';
import { openRunsOf, openRunsQuietSince } from './queries/open-runs.js';
import { readPendingConsentsOf, readToolCall } from './queries/operator-looks.js';
import { readPlaces } from './queries/places.js';
import { readSealedNames } from './queries/sealed-names.js';
import { readSessionState } from './queries/session-state.js';
import { readStandingContent } from './queries/standing-content.js';
import { readTurn, readTurnDetail } from './queries/turns.js';
import type { LedgerReader } from './reader.js';
import type { LedgerStore } from './store.js';

/** The host's view of a ledger. `topics` gives the partition count per topic name. */
export function ledgerReader(store: Pick<LedgerStore, 'db'>, topics: ReadonlyMap<string, number>): LedgerReader {
  const partitions = topics.get(allTopics.session.name)!;
  const privatePartitions = topics.get(allTopics.private.name)!;
  return {
    positions: () => readPlaces(store.db, topics),
    sessionRow: (key) => readSessionState(store.db, key, partitionOf(key, partitions)),
    openRunsOf: (hostId) => openRunsOf(store.db, hostId),
    openRunsQuietSince: (timestamp, limit) => openRunsQuietSince(store.db, timestamp, limit),
    messagesOf: (sessionKey, after) => readStandingContent(store.db, sessionKey, after),
    artifact: (sessionKey, artifactRef, citedTo) =>
      readArtifact(store.db, { sessionKey, artifactRef, citedTo, partition: partitionOf(sessionKey, privatePartitions) }),
    lostToolSessions: (limit) => readLostToolSessions(store.db, limit),
    holders: () => readHolders(store.db),
    turn: (turnId) => readTurn(store.db, turnId),
    consent: (requestId) => store.db.selectFrom('consent').selectAll().where('request_id', '=', requestId).executeTakeFirst(),
    approvedBefore: (request, limit) => readApprovedBefore(store.db, request, limit),
    pendingConsentsOf: (partyRef) => readPendingConsentsOf(store.db, partyRef),
    toolCall: (callId) => readToolCall(store.db, callId),
    freezes: () => readFreezes(store.db),
    decision: (key) => readDecision(store.db, key, partitionOf(key, topics.get(allTopics.spend.name)!)),
    grants: (now, since) => readGrants(store.db, now, since),
    grant: (grantId) => readGrant(store.db, grantId),
    dueConsents: (now, limit) => readDueConsents(store.db, now, limit),
    turnDetail: (turnId) => readTurnDetail(store.db, turnId),
    nameKey: async (ref) => (await store.db.selectFrom('subject').select('key_id').where('ref', '=', ref).executeTakeFirst())?.key_id,
    sealedNames: (refs) => readSealedNames(store.db, refs),
    ownedKey: (key) => readOwnedKey(store.db, key),
    keysOwnedBy: (owner, after, limit) => listKeysOwnedBy(store.db, owner, after, limit),
    sessionsOf: (owner, page) => listOwnSessions(store.db, owner, page),
  };
}
