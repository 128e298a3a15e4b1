import type { FactData } from '@doorledger/contracts';
import type { DecisionRow, LogPositions, PartitionTime, SessionState } from '@doorledger/event-log';
import type { Place } from './projection/place.js';
import type { ApprovedBefore } from './queries/approved-before.js';
import type { OwnSession } from './queries/own-sessions.js';
import type { PendingConsent } from './queries/operator-looks.js';
import type { GrantHistory } from './queries/grants.js';
import type { Page, PageRequest } from './queries/page.js';
import type { SealedName } from './queries/sealed-names.js';
import type { TurnDetail } from './queries/turns.js';
import type { Row } from './schema/index.js';

/** A session as the projector left it, with its partition's reading place of the same moment. */
export interface SessionSnapshot {
  readonly key: string;
  readonly partition: number;
  /** `emptySession` where the ledger has no row. */
  readonly state: SessionState;
  /** `time.next` is the first offset that is not in `state`. */
  readonly time: PartitionTime;
}

export interface LedgerPositions {
  /** Next offset per partition of every topic of the log; 0 where nothing was applied. */
  readonly positions: LogPositions;
  /** The same places with epoch, last log timestamp, T and chain. */
  readonly times: Readonly<Record<string, readonly Place[]>>;
}

/** A run that stands or waits. */
export interface OpenRun {
  readonly sessionKey: string;
  readonly partition: number;
  readonly runId: string;
  readonly turnId: string;
  readonly hostId: string;
  readonly bootId: string;
  readonly status: 'standing' | 'waiting';
  /** Log timestamp of its last standing record. */
  readonly quietSince: number;
}

/** Encrypted content that a standing record names by position and hash (L10). */
export interface StandingContent {
  readonly type: string;
  readonly turnId: string;
  readonly runId: string;
  readonly partition: number;
  readonly offset: number;
  readonly keyId: string;
  /** nonce ‖ ciphertext ‖ tag; the parts of split content are joined in order. */
  readonly sealed: Uint8Array;
  /** The type of the standing record that names it. */
  readonly namedBy: string;
}

/** A tool session that nobody closed, of a host life that is over: what its close fact says beside the reason (T40). */
export type LostToolSession = Omit<FactData<'tool-session.closed'>, 'reason' | 'cleanupMs'>;

/** What a host knows of the others when its tail begins (L6). `aliveTime`: T of the system partition at a host's last word. */
export interface KnownHolders {
  readonly hosts: readonly { readonly hostId: string; readonly bootId: string; readonly aliveTime: number }[];
  readonly toolSessions: readonly {
    readonly toolSessionId: string;
    readonly sessionRef: string;
    readonly hostId: string;
    readonly bootId: string;
  }[];
}

/** What an operator froze (P6). `setAt`: log timestamp, epoch ms. */
export type Freeze = FactData<'freeze.set'> & { readonly setAt: number };

export interface KnownFreezes {
  readonly live: readonly Freeze[];
  /** Ids: what was lifted once is never in force again. */
  readonly lifted: readonly string[];
}

/** A waiting request that is past a clock, or decided by its votes and taken up by nobody (L12). */
export interface DueConsent {
  readonly requestId: string;
  readonly sessionKey: string;
  readonly due: 'expired' | 'approved' | 'declined';
}

/** A file that a turn handed over (H2). */
export interface StoredArtifact {
  readonly turnId: string;
  readonly keyId: string;
  /** nonce ‖ ciphertext ‖ tag; the parts of split content are joined in order. */
  readonly sealed: Uint8Array;
}

/** `behind`: it may be there once the ledger has read what the log has now. */
export type ArtifactReading =
  { readonly kind: 'stored'; readonly artifact: StoredArtifact } | { readonly kind: 'missing' } | { readonly kind: 'behind' };

/** A place that a standing record names, where the ledger has not read what lies there, or not all of it. */
export interface UnreadContent {
  readonly partition: number;
  readonly offset: number;
  readonly hash: string;
}

/** Everything that a session's standing records name: what the ledger has, and behind it what it has not. */
export interface NamedContent {
  readonly read: readonly StandingContent[];
  readonly unread: readonly UnreadContent[];
  /** Offset in the session topic up to which nothing is unread: as `after` it asks for the rest. */
  readonly readUntil?: number;
}

/** A key of the session topic: a session's reference, or the id of a turn without one. */
export interface OwnedKey {
  readonly key: string;
  readonly isSession: boolean;
  /** `session.erased` is on the log. */
  readonly isErased: boolean;
  /** That stand or wait. */
  readonly runs: readonly { readonly turnId: string; readonly runId: string }[];
}

/** What a host reads of the ledger. Every method is one consistent read. */
export interface LedgerReader {
  positions(): Promise<LedgerPositions>;
  /** The state of one key and its partition's place in ONE transaction (L9). */
  sessionRow(key: string): Promise<SessionSnapshot>;
  /** Every standing or waiting run of a host, of any boot (L13). */
  openRunsOf(hostId: string): Promise<OpenRun[]>;
  /** Runs whose last standing record has a log timestamp at or before `timestamp`, the quietest first (L12). */
  openRunsQuietSince(timestamp: number, limit: number): Promise<OpenRun[]>;
  /**
   * A session's content in the order its standing records name it, of records past the offset `after` of the session topic where it is given.
   * Unnamed and unequal content is not read (L10).
   */
  messagesOf(sessionKey: string, after?: number): Promise<NamedContent>;
  /**
   * A file that a standing turn of the session handed over (H2). `citedTo` is the highest private offset that the asker knows a standing
   * record of the session to name; -1 for none.
   */
  artifact(sessionKey: string, artifactRef: string, citedTo: number): Promise<ArtifactReading>;
  /** Open tool sessions of host lives that are over, by host and life (T40). */
  lostToolSessions(limit: number): Promise<LostToolSession[]>;
  /** Two reads: the tail meets again what came between them. */
  holders(): Promise<KnownHolders>;
  turn(turnId: string): Promise<Row<'turn'> | undefined>;
  /** A request for consent; undefined where the ledger has read none under this id. */
  consent(requestId: string): Promise<Row<'consent'> | undefined>;
  /** Approved requests of the request's tool, minted before it in its tenant, newest first. */
  approvedBefore(request: Row<'consent'>, limit: number): Promise<ApprovedBefore[]>;
  /** Requests that turns of this person (userRef) wait for. */
  pendingConsentsOf(partyRef: string): Promise<PendingConsent[]>;
  /** A tool call; undefined where no dispatch of it ever stood. */
  toolCall(callId: string): Promise<Row<'tool_call'> | undefined>;
  freezes(): Promise<KnownFreezes>;
  /** What is known of one key of other people's ledgers (N40), and its partition's next offset, of one moment. */
  decision(key: string): Promise<DecisionRow>;
  /** Grants that may still be used, and all that were made or revoked at `since` or later; both epoch ms (N52). */
  grants(now: number, since: number): Promise<GrantHistory[]>;
  grant(grantId: string): Promise<GrantHistory | undefined>;
  /** Requests that are to be settled by whoever looks (L12), those past a clock first, then by age; `now` in epoch ms. */
  dueConsents(now: number, limit: number): Promise<DueConsent[]>;
  /** A turn with its tool calls, as the API shows it. */
  turnDetail(turnId: string): Promise<TurnDetail | undefined>;
  /** The id of the key under which a person or a session is named by a private fact (spec 9); undefined where it is not named. */
  nameKey(ref: string): Promise<string | undefined>;
  /** What persons and sessions are called, sealed; none of those that are not named. */
  sealedNames(refs: readonly string[]): Promise<SealedName[]>;
  /** A key of the session topic, as far as erasure asks; undefined where the ledger knows nothing of it (X2). */
  ownedKey(key: string): Promise<OwnedKey | undefined>;
  /** Sessions and turns without one that a person (userRef) owns, closed ones too: up to `limit` whose keys come after `after`. */
  keysOwnedBy(owner: string, after: string, limit: number): Promise<OwnedKey[]>;
  /** The open sessions of a person (userRef), newest first (O6). */
  sessionsOf(owner: string, page: PageRequest): Promise<Page<OwnSession>>;
}
