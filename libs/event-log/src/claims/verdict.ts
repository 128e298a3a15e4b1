/** Why a record is void. Of several reasons a claim is answered by the first in this order. */
export type VoidReason =
  /** The session is closed. */
  | 'closed'
  /** A record of this key cannot be read and is not repaired yet (L8). */
  | 'blocked'
  /** Its own frozen fields cannot be read (L8). */
  | 'unreadable'
  /** Claim: another signer owns the session. */
  | 'signer'
  /** Claim: its run stands or waits already; this is a copy. */
  | 'duplicate'
  /** Claim: its idempotency key is remembered; `rememberedTurn` says for which turn. */
  | 'key'
  /** Claim: the session waits for a person and this does not resume that request in that turn. */
  | 'paused'
  /** Claim: it resumes a request, and nothing is paused. */
  | 'not-paused'
  /** Claim: a run stands, or others wait, and it may not wait itself. */
  | 'busy'
  /** Claim: another run came to stand since its host looked; claim anew (L7). */
  | 'after'
  /** The run does not stand (nor wait, where that is enough). */
  | 'no-run'
  /** `turn.lapsed`: the run is within its lease. `tool-call.dispatched`: past it, and for no other reason (L2: renew). */
  | 'alive'
  | 'lease'
  /** The request id was minted before, or another request is pending. */
  | 'minted'
  | 'pending'
  /** The bound of the state is reached (limits.ts). */
  | 'bound'
  /** `turn.paused` without its `consent.minted` right before it (N9). */
  | 'no-request'
  /** Vote, spend: the request is not pending. */
  | 'not-pending'
  /** Vote: this person voted before. */
  | 'voted'
  /** Spend: its claim is not the standing run; the standing run does not hold the request. */
  | 'not-resumed'
  /** Past decide-by, spend-by or `notAfter`; or not past any (`consent.spent {expired}`). */
  | 'expired'
  | 'not-expired'
  /** Approval: too few approving votes; a disapproving one. */
  | 'quorum'
  | 'veto'
  /** Dispatch: not the next attempt; the attempt before it did not end `not-sent`. */
  | 'attempt'
  | 'open'
  /** Gated dispatch: the request is not this run's for this call; it has no standing approval. */
  | 'not-minted'
  | 'not-approved'
  /** `finished`, `reconciled`: no open dispatch of this attempt is known. */
  | 'not-open'
  /** `session.repaired`: it does not name the record that blocks. */
  | 'not-blocked';

/**
 * What the fold says of one record. `isIgnored` marks the types that no claim depends on (`gate.observed`,
 * `tool-call.attempted`, `session.erased`, every type this release does not know): they are neither standing nor void.
 */
export type Verdict =
  | { readonly stands: true; readonly waits?: false; readonly isIgnored?: false }
  | { readonly stands: false; readonly waits: true; readonly isIgnored?: false }
  | { readonly stands: false; readonly waits?: false; readonly isIgnored?: false; readonly reason: VoidReason }
  | { readonly stands: false; readonly waits?: false; readonly isIgnored: true };
