/** What the ledger's lists are made of, as docs/api.md names them. Times are RFC 3339, references 32 hex digits; what is not known is absent. */
export interface SessionItem {
  readonly sessionRef: string;
  readonly owner?: string;
  readonly turns: number;
  readonly lastActivity: string;
  /** The request it waits for. */
  readonly awaiting?: string;
  readonly closedAt?: string;
  readonly closedReason?: string;
  /** The place of the record nobody can read (L8). */
  readonly blockedBy?: { readonly partition: number; readonly offset: number };
}

export interface TimelineItem {
  /** `topic:partition:offset`, good for `?at=`. */
  readonly position: string;
  readonly id?: string;
  readonly type?: string;
  readonly at: string;
  readonly turnId?: string;
  readonly verdict: string;
  readonly voidReason?: string;
  /** Absent where nobody can read the record. */
  readonly data?: unknown;
}

export interface ConsentItem {
  readonly requestId: string;
  readonly state: 'pending' | 'approved' | 'declined' | 'closed' | 'expired' | 'unknown' | 'void';
  /** What became of the call it was asked for. */
  readonly became: { readonly state: string; readonly by?: string };
  readonly turnId?: string;
  readonly callId?: string;
  /** A turn without a session names none. */
  readonly sessionRef?: string;
  /** Who asked (userRef). */
  readonly party?: string;
  readonly gate?: string;
  readonly rule?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly toolHash?: string;
  /** Of a request that several people have to approve. */
  readonly quorum?: number;
  readonly votes?: { readonly have: number; readonly need: number };
  /** The remembered grant it was made under (N52). */
  readonly grantId?: string;
  readonly decideBy?: string;
  readonly spendBy?: string;
  readonly mintedAt?: string;
  readonly settledAt?: string;
  /** Who settled it (userRef). */
  readonly settledBy?: string;
  readonly reason?: string;
  /** The request that this one was made in place of. */
  readonly replaces?: string;
}

export interface ToolSessionItem {
  readonly toolSessionId: string;
  readonly state: 'live' | 'ended';
  readonly server?: string;
  readonly tool?: string;
  readonly scope?: string;
  readonly label?: string;
  readonly keyHash: string;
  readonly hostId?: string;
  readonly bootId?: string;
  /** Whose call opened it; a turn without a session names none. */
  readonly sessionRef?: string;
  readonly turnId?: string;
  readonly runId?: string;
  readonly callId?: string;
  readonly calls: number;
  readonly startedAt?: string;
  readonly usedAt?: string;
  readonly closedAt?: string;
  /** Why it was closed, and the error's class where closing went wrong. */
  readonly reason?: string;
  readonly errorClass?: string;
  readonly cleanupMs?: number;
  /** How long it lived, as its host measured it; of a live one, how long ago by `now` it began. */
  readonly ageMs?: number;
  /** Of a live one: how long ago it was last used. */
  readonly idleMs?: number;
}

interface CalledTool {
  readonly callId: string;
  readonly server?: string;
  readonly tool?: string;
  readonly gated: boolean;
  readonly requestId?: string;
  readonly attempt: number;
  readonly status: string;
  readonly dispatchedAt?: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  readonly errorClass?: string;
}

export interface ToolCallItem extends CalledTool {
  /** A call of a turn without a session names none. */
  readonly sessionRef?: string;
  readonly turnId?: string;
  readonly runId?: string;
  readonly toolSessionId?: string;
  /** Who said what became of it (userRef). */
  readonly reconciledBy?: string;
  /** What a late record claims against the standing end. */
  readonly conflict?: string;
}

export interface IngressItem {
  readonly at: string;
  readonly door: string;
  readonly outcome: string;
  readonly bearerPresent: boolean;
  readonly durationMs: number;
  readonly hostId: string;
  readonly bootId: string;
  /** Not told to the auditor of one tenant among several. */
  readonly seq?: number;
  readonly op?: string;
  readonly errorCode?: string;
  readonly errorName?: string;
  readonly identityFailure?: string;
  readonly claimedUser?: true;
  readonly userRef?: string;
  readonly tenantRef?: string;
  readonly sessionRef?: string;
  readonly admission?: string;
  readonly turnArtifactsFailure?: string;
  readonly source?: 'external';
  readonly turnId?: string;
}

export interface CensusItem {
  readonly window?: string;
  readonly outcome?: string;
  /** The token check that failed, else the code, else the error's class; the reason of what is counted without a verdict. */
  readonly cause?: string;
  readonly door?: string;
  readonly requests: number;
  /** Of them with a record of their own, and in exact counts. */
  readonly recorded: number;
  readonly counted: number;
}

export interface LifeCheck {
  readonly hostId: string;
  readonly bootId: string;
  readonly state: 'running' | 'ended' | 'stopped';
  /** By log time. */
  readonly startedAt?: string;
  readonly aliveAt?: string;
  /** The larger of what the host said and the highest place on the log (E11). */
  readonly issued: number;
  readonly recorded: number;
  readonly counted: number;
  /** Issued by a host that still runs, and not yet on the log. */
  readonly pending: number;
  /** Never written: the host is gone. */
  readonly unknown: number;
  /** Not on the log any more since retention took records of this life away, any unknown ones among them (X3). */
  readonly removed: number;
  /** Tellings of a place that had been told before: more than 0 is a fault. */
  readonly doubled: number;
  readonly addsUp: boolean;
}
