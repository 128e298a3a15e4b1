import type { RecordPlace } from './record.js';

export interface IdempotencyKey {
  readonly key: string;
  readonly body: string;
  readonly turnId: string;
  /** Log timestamp of its claim. */
  readonly timestamp: number;
}

/** A claim in the queue. */
export interface WaitingRun {
  readonly runId: string;
  readonly turnId: string;
  readonly hostId: string;
  readonly bootId: string;
  /** T of its last standing record: its lease runs from here. */
  readonly leaseFrom: number;
  readonly key?: IdempotencyKey;
}

/** The one run that holds the session. */
export interface StandingRun extends WaitingRun {
  /** The paused request it was claimed for. */
  readonly resumes?: string;
  /** Stepped, minted, spent or dispatched: its idempotency key is not forgotten any more. */
  readonly hasWorked: boolean;
  /** The first half of `[consent.minted, turn.paused]`: nobody can vote on it or spend it until the other half stands (N9). */
  readonly opening?: RequestTerms;
  readonly requests: readonly RunRequest[];
  readonly calls: readonly RunCall[];
}

/** What a minted request was minted with. */
export interface RequestTerms {
  readonly requestId: string;
  readonly callId: string;
  readonly quorum?: number;
  readonly decideBy?: number;
  readonly spendBy?: number;
}

/** How a request was settled; `unknown` by a spend nobody can read (L8). */
export type SpendVerdict = 'approved' | 'declined' | 'closed' | 'expired' | 'unknown';

/** A request the standing run may spend: the one it resumes, or one it minted under a grant. */
export interface RunRequest extends RequestTerms {
  readonly isGranted: boolean;
  readonly spent?: SpendVerdict;
}

export interface Vote {
  readonly by: string;
  readonly approved: boolean;
}

/** The request the session waits for. */
export interface PausedRequest extends RequestTerms {
  readonly turnId: string;
  readonly votes: readonly Vote[];
}

/** A call of the standing run: its last dispatched attempt and what became of it. */
export interface RunCall {
  readonly callId: string;
  readonly attempt: number;
  readonly status: 'open' | 'not-sent' | 'ended' | 'reconciled';
  /** Of a gated call. */
  readonly requestId?: string;
}

/** A call of an ended run that was dispatched and never finished; kept for a while after a person reconciled it, to see conflicts. */
export interface UnresolvedCall {
  readonly callId: string;
  readonly attempt: number;
  readonly requestId?: string;
  readonly isReconciled: boolean;
}

/** Everything the fold remembers of one key of the session topic: JSON, immutable, bounded by limits.ts. */
export interface SessionState {
  /** Who signed the first standing claim, null for nobody; of no meaning while `lastRunId` is null. */
  readonly owner: string | null;
  /** The last run that came to stand, by its own record or from the queue. */
  readonly lastRunId: string | null;
  readonly isClosed: boolean;
  readonly run?: StandingRun;
  readonly paused?: PausedRequest;
  /** Oldest first. */
  readonly waiting: readonly WaitingRun[];
  /** Of ended runs, oldest first; the keys of the standing and the waiting runs are with them. */
  readonly keys: readonly IdempotencyKey[];
  /** Oldest first. */
  readonly unresolved: readonly UnresolvedCall[];
  /** The record nobody can read that blocks this key until it is repaired (L8). */
  readonly blockedBy?: RecordPlace;
}

export const emptySession: SessionState = { owner: null, lastRunId: null, isClosed: false, waiting: [], keys: [], unresolved: [] };
