import type { IngressEntry } from './ingress-entry.js';

/** Requests that are counted and not recorded, by why (E4, E9). */
export type CountedReason =
  | 'unparseable-body'
  | 'body-too-large'
  /** The connection broke, or what came over it was no HTTP. */
  | 'unreadable-request'
  | 'bad-wire-op'
  | 'unrouted'
  | 'closing'
  /** A browser asked whether a page may call (G9). */
  | 'preflight'
  | 'accepted-upgrade';

/** E5: refusals that found no room, or that no record can hold. */
export const NOT_WRITTEN = 'not-written';

/**
 * The reason under which a flood of refusals is counted (E6): `<outcome>/<door>/<cause>`. The cause is the token check that failed,
 * else the code, else the error's class; a ledger reads its parts (E12).
 */
export const floodReasonOf = ({ outcome, door, identityFailure, errorCode, errorName }: IngressEntry): string =>
  `${outcome}/${door}/${identityFailure ?? errorCode ?? errorName ?? ''}`;

/** E6: what names a person or an admission verdict stays a record of its own; and so does a turn that came to be and failed. */
export const isMergeable = ({ userRef, claimedUser, admission, turnId }: IngressEntry): boolean =>
  userRef === undefined && claimedUser === undefined && admission === undefined && turnId === undefined;
