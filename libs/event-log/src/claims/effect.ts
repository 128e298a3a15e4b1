import type { RecordPlace } from './record.js';
import type { SpendVerdict } from './state.js';

/** Where a turn is after an effect. `closed`: its session was closed, or its request was settled while nobody resumed it. */
export type TurnStatus = 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'abandoned' | 'closed';

/** How an attempt ended, as its host said; or what a person said became of it. */
export type CallOutcome = 'ok' | 'error' | 'not-sent' | 'cancelled';
export type ReconciledVerdict = 'ran' | 'did-not-run';

interface OfRun {
  readonly runId: string;
  readonly turnId: string;
  /** The turn's status from here on. */
  readonly turn: TurnStatus;
}
interface OfCall {
  readonly callId: string;
  readonly attempt: number;
}

/**
 * What one record changed, in order. The only source of statuses: a projection that applies effects needs to judge nothing
 * itself. A record may change more than its own subject (a claim can end a lapsed run and move the queue).
 * `run-waits` and `left-queue` speak for a turn of which no run has stood yet; where one has, the turn's status stays
 * (a late copy of a claim can wait again after its turn has moved on).
 */
export type Effect =
  | { readonly kind: 'owner-set'; readonly signer: string | null }
  | (OfRun & {
      readonly kind: 'run-stood';
      readonly hostId: string;
      readonly bootId: string;
      readonly resumes?: string;
      readonly fromQueue: boolean;
    })
  | (OfRun & { readonly kind: 'run-waits'; readonly hostId: string; readonly bootId: string })
  /** The lease of a run that stands or waits starts anew. */
  | { readonly kind: 'run-renewed'; readonly runId: string }
  /** A waiting run is gone without having stood: failed by its host, past its lease, voided by a pause or by the session's end. */
  | (OfRun & { readonly kind: 'left-queue'; readonly why: 'failed' | 'lapsed' | 'paused' | 'closed' })
  /** `turn` is `paused` too where a resume ended with its request still pending. */
  | (OfRun & { readonly kind: 'run-ended'; readonly how: 'completed' | 'failed' | 'paused' | 'lapsed' | 'closed' })
  /** A paused turn's request was settled while no run resumed it: the turn is over. */
  | { readonly kind: 'turn-closed'; readonly turnId: string; readonly turn: 'closed' }
  | {
      readonly kind: 'request-pending';
      readonly requestId: string;
      readonly callId: string;
      readonly turnId: string;
      readonly isGranted: boolean;
    }
  /** A `consent.minted` stood, its `turn.paused` did not follow: the request never was pending and never will be. */
  | { readonly kind: 'request-void'; readonly requestId: string }
  /** Once per request. `by` says which record did it; `claimId` only of a readable `consent.spent`. */
  | {
      readonly kind: 'request-settled';
      readonly requestId: string;
      readonly verdict: SpendVerdict;
      readonly claimId?: string;
      readonly by: 'spend' | 'run-end' | 'session-closed';
    }
  /** Approved and spent, but its run ended and the call was never sent, and never will be (N22). */
  | { readonly kind: 'spent-not-run'; readonly requestId: string; readonly callId: string }
  | { readonly kind: 'voted'; readonly requestId: string; readonly by: string; readonly approved: boolean }
  | (OfCall & { readonly kind: 'call-dispatched'; readonly runId: string; readonly turnId: string; readonly requestId?: string })
  | (OfCall & { readonly kind: 'call-ended'; readonly outcome: CallOutcome })
  /** Its run ended first: the outcome is unknown until it is resolved. */
  | (OfCall & { readonly kind: 'call-unknown' })
  /** A late `finished` of the host, or a person's word. */
  | (OfCall & { readonly kind: 'call-resolved'; readonly verdict: CallOutcome | ReconciledVerdict; readonly by: 'host' | 'person' })
  /** The host's `finished` came after a person had reconciled the call: void, kept as evidence. */
  | (OfCall & { readonly kind: 'call-conflict'; readonly outcome: CallOutcome })
  | { readonly kind: 'session-closed' }
  | { readonly kind: 'key-blocked'; readonly position: RecordPlace }
  | { readonly kind: 'key-unblocked'; readonly position: RecordPlace };
