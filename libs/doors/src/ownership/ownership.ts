import type { SessionState } from '@doorledger/event-log';
import type { Caller } from '../caller.js';

/** O1: whether a caller may name a session that is not there yet, or only one this deployment minted. */
export type NewSessions = 'named' | 'minted';

export interface SessionNamed {
  /** The id is one this deployment minted. */
  readonly isMinted: boolean;
  readonly newSessions: NewSessions;
}

/** What ownership looks at. */
export type Owned = Pick<SessionState, 'owner' | 'lastRunId' | 'isClosed' | 'blockedBy'>;

/**
 * O2: a stored session serves its owner; an ownerless one serves anonymous callers who know an id that nobody can guess; a door without
 * a verifier serves what has no owner. At a verifying door a session nobody can read is as one that is not there (O4).
 */
export function isServed(
  { owner, lastRunId, isClosed, blockedBy }: Owned,
  caller: Caller,
  { isMinted, newSessions }: SessionNamed,
): boolean {
  if (isClosed || (blockedBy && caller.isVerified)) return false;
  const isNew = lastRunId === null;
  const isAnonymous = caller.isVerified && caller.userRef === undefined;
  if (isAnonymous && !isMinted) return false;
  return isNew ? isMinted || newSessions === 'named' : owner === (caller.userRef ?? null);
}
