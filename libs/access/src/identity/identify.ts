import { principalOf, type Principal } from './principal.js';
import { IdentityNotVerifiedError, VerifierUnavailableError, type IdentityFailure, type Verifier } from './verifier.js';

/** What a request says of its caller. */
export interface Presented {
  readonly bearer?: string;
  /** Of somebody who signed in with a browser, sent by a page of this deployment's own origin (P1). A bearer goes before it. */
  readonly cookie?: string;
  /** A user that a header of a dialect names (D16). It proves nothing; it may only agree with the bearer. */
  readonly claimedUser?: string;
}

/** Who the caller is, as far as the door may know. */
export type Identified =
  /** No verifier is configured: nothing was checked (I1). */
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'proven'; readonly principal: Principal; /** Epoch ms */ readonly expiresAt?: number }
  /** 401: judged and bad, or missing. `proven` is who the bearer proves where another user was claimed (I8). */
  | { readonly kind: 'refused'; readonly failure: IdentityFailure; readonly claimedUser?: true; readonly proven?: Principal }
  /** 503: never judged (I6). */
  | { readonly kind: 'unavailable' };

/** At once where nothing is borne that a verifier could be asked about: then nobody heeds the signal. */
export type Identify = (presented: Presented, signal: AbortSignal) => Identified | Promise<Identified>;

export interface IdentifyOptions {
  readonly verifier?: Verifier;
  /** Judges cookies; undefined where nobody signs in with a browser. */
  readonly signedIn?: Verifier;
  /** I3: whether a caller without a bearer is served. */
  readonly allowAnonymous: boolean;
  /** Longest a caller waits for the verifier, in ms; past it the token counts as never judged. */
  readonly timeoutMs?: number;
}

const unchecked: Identified = { kind: 'unchecked' };
const anonymous: Identified = { kind: 'anonymous' };
const unavailable: Identified = { kind: 'unavailable' };

const nobody: Identified = { kind: 'refused', failure: 'no-token' };

/** The identity rules I1 to I6 and I8, the same at every door, asked once per request. Never throws. */
export function makeIdentify({ verifier, signedIn, allowAnonymous, timeoutMs = 10_000 }: IdentifyOptions): Identify {
  if (!verifier) return () => unchecked;
  return ({ bearer, cookie, claimedUser }, signal) => {
    if (bearer !== undefined) return borne(verifier, bearer, claimedUser, signal, timeoutMs);
    if (signedIn && cookie !== undefined) return borne(signedIn, cookie, claimedUser, signal, timeoutMs);
    if (claimedUser !== undefined) return { kind: 'refused', failure: 'no-token', claimedUser: true };
    return allowAnonymous ? anonymous : nobody;
  };
}

async function borne(
  verifier: Verifier,
  credential: string,
  claimedUser: string | undefined,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Identified> {
  const claimed = claimedUser !== undefined && ({ claimedUser: true } as const);
  try {
    const { principal, expiresAt } = await judge(verifier, credential, signal, timeoutMs);
    return claimed && principal.subject !== claimedUser
      ? { kind: 'refused', failure: 'claimed-another-user', ...claimed, proven: principal }
      : { kind: 'proven', principal, ...(expiresAt !== undefined && { expiresAt }) };
  } catch (error) {
    if (error instanceof VerifierUnavailableError || signal.aborted) return unavailable;
    return { kind: 'refused', failure: error instanceof IdentityNotVerifiedError ? error.failure : 'unverifiable', ...claimed };
  }
}

/** Who a token or a cookie proves; whatever the verifier answers is looked at again (I5). */
async function judge(verifier: Verifier, credential: string, signal: AbortSignal, timeoutMs: number) {
  const { principal, expiresAt } = await within(timeoutMs, signal, (ended) => verifier.verify(credential, ended));
  const named = principalOf(principal);
  if (!named || !(expiresAt === undefined || Number.isFinite(expiresAt))) throw new IdentityNotVerifiedError('unverifiable');
  return { principal: named, expiresAt };
}

/** I6: a verifier that does not answer in time, or whose caller is gone, judged nothing. */
async function within<T>(ms: number, signal: AbortSignal, work: (ended: AbortSignal) => Promise<T>): Promise<T> {
  if (signal.aborted) throw new VerifierUnavailableError();
  const ended = new AbortController();
  let giveUp = (): void => {};
  const late = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(new VerifierUnavailableError());
      ended.abort();
    };
  });
  const timer = setTimeout(giveUp, ms);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work(ended.signal), late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
