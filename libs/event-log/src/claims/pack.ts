import { DoorledgerError } from '@doorledger/contracts';
import { FOLD_VERSION } from './limits.js';
import { emptySession, type SessionState } from './state.js';

/** The state was folded by another version of the fold: it is worth nothing here, the log must be folded again. */
export class FoldVersionError extends DoorledgerError {}

/**
 * The state as JSON text with its fold version, in one fixed order and without what is empty: the same records give the
 * same text to every reader, however often the state was packed between them.
 */
export function packSession({ owner, lastRunId, isClosed, run, paused, waiting, keys, unresolved, blockedBy }: SessionState): string {
  return JSON.stringify({
    v: FOLD_VERSION,
    owner: owner ?? undefined,
    lastRunId: lastRunId ?? undefined,
    isClosed: isClosed || undefined,
    run,
    paused,
    waiting: waiting.length ? waiting : undefined,
    keys: keys.length ? keys : undefined,
    unresolved: unresolved.length ? unresolved : undefined,
    blockedBy,
  });
}

/** @throws FoldVersionError `ERR_FOLD_VERSION` */
export function unpackSession(text: string): SessionState {
  const { v, ...state } = JSON.parse(text) as Partial<SessionState> & { readonly v: number };
  if (v !== FOLD_VERSION)
    throw new FoldVersionError(
      'ERR_FOLD_VERSION',
      `A session was folded by version ${v}, this release folds by ${FOLD_VERSION}: rebuild the ledger with doorledger replay --switch.`,
    );
  return { ...emptySession, ...state };
}
