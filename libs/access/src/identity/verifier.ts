import { DoorledgerError, type FactData } from '@doorledger/contracts';
import type { Principal } from './principal.js';

/** Which check a credential did not pass (I5), as the ingress record names it. */
export type IdentityFailure = NonNullable<FactData<'ingress.recorded'>['identityFailure']>;

export interface Verified {
  readonly principal: Principal;
  /** Epoch ms from which the verifier would refuse the same token; undefined for one that does not end. */
  readonly expiresAt?: number;
}

/** Tells whose a bearer token is. An operator may bring one of their own. */
export interface Verifier {
  /**
   * `signal` aborts when nobody waits for the answer any more.
   * @throws IdentityNotVerifiedError for a token that was judged and is bad
   * @throws VerifierUnavailableError for one that could not be judged (I6)
   *
   * Anything else that is thrown counts as `unverifiable` (I5).
   */
  verify(token: string, signal: AbortSignal): Promise<Verified>;
}

/** The token was judged, and nobody is proven by it (I6: 401). It keeps no cause: the errors underneath hold claims (I9). */
export class IdentityNotVerifiedError extends DoorledgerError {
  constructor(readonly failure: IdentityFailure) {
    super('ERR_IDENTITY_NOT_VERIFIED', `The bearer token proves nobody (${failure}).`);
  }
}

/** The token was not judged (I6: 503). `cause` is for log lines, and must know nothing of the token (I9). */
export class VerifierUnavailableError extends DoorledgerError {
  constructor(cause?: unknown) {
    super('ERR_IDENTITY_VERIFIER_UNAVAILABLE', 'The keys that tokens are verified with cannot be reached right now.', { cause });
  }
}
