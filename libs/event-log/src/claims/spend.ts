import type { FrozenRecords } from '@doorledger/contracts';
import { withRun } from './lease.js';
import { standing, voided, type FoldPoint, type Outcome } from './outcome.js';
import { moveQueue } from './queue.js';
import type { PausedRequest, RequestTerms, RunRequest, SessionState, SpendVerdict } from './state.js';
import type { VoidReason } from './verdict.js';

type Spent = FrozenRecords['consent.spent'];

/** The request, if it is minted and unspent. */
export function pendingRequest({ paused, run }: SessionState, requestId: string): PausedRequest | RunRequest | undefined {
  if (paused?.requestId === requestId) return paused;
  return run?.requests.find((r) => r.requestId === requestId && r.spent === undefined);
}

/** `consent.spent`: the first standing one settles the request for ever (N20, N31). */
export function spent(state: SessionState, fact: Spent, point: FoldPoint): Outcome {
  const { requestId, claimId, verdict } = fact;
  const request = pendingRequest(state, requestId);
  if (!request) return voided(state, 'not-pending');
  const why = whySpendVoid(state, request, fact, point.timestamp);
  if (why) return voided(state, why);
  point.effects.push({ kind: 'request-settled', requestId, verdict, claimId, by: 'spend' });
  const settled = settle(state, requestId, verdict);
  const run = settled.run?.runId === claimId ? settled.run : undefined;
  return standing(afterSettling(run ? withRun(settled, run, point, { hasWorked: true }) : settled, state, point));
}

function whySpendVoid(
  state: SessionState,
  request: RequestTerms,
  { claimId, verdict, requestId }: Spent,
  now: number,
): VoidReason | undefined {
  const isPast = isPastDate(request.decideBy, now) || isPastDate(request.spendBy, now);
  if (verdict === 'closed') return undefined;
  if (verdict === 'expired') return isPast ? undefined : 'not-expired';
  const { run } = state;
  if (run?.runId !== claimId) return 'no-run';
  if (!run.requests.some((r) => r.requestId === requestId)) return 'not-resumed';
  if (isPast) return 'expired';
  if (verdict === 'declined' || request.quorum === undefined) return undefined;
  const votes = state.paused?.requestId === requestId ? state.paused.votes : [];
  if (votes.some((v) => !v.approved)) return 'veto';
  return votes.length < request.quorum ? 'quorum' : undefined;
}

export const isPastDate = (date: number | undefined, now: number): boolean => date !== undefined && now > date;

/**
 * A spend whose body cannot be read counts as spent, `unknown`: nothing runs on it (L8). Without a subject it spends the
 * paused request.
 */
export function spentUnreadably(state: SessionState, subject: string | undefined, point: FoldPoint): Outcome {
  const requestId = subject ?? state.paused?.requestId;
  if (requestId === undefined || !pendingRequest(state, requestId)) return voided(state, 'unreadable');
  point.effects.push({ kind: 'request-settled', requestId, verdict: 'unknown', by: 'spend' });
  return voided(afterSettling(settle(state, requestId, 'unknown'), state, point), 'unreadable');
}

/** Marks the request as settled wherever it is held. */
export function settle(state: SessionState, requestId: string, verdict: SpendVerdict): SessionState {
  const { paused, run } = state;
  const held = run ? run.requests.findIndex((r) => r.requestId === requestId) : -1;
  return {
    ...state,
    paused: paused?.requestId === requestId ? undefined : paused,
    run: run && held >= 0 ? { ...run, requests: run.requests.with(held, { ...run.requests[held]!, spent: verdict }) } : run,
  };
}

function afterSettling(state: SessionState, before: SessionState, point: FoldPoint): SessionState {
  if (state.run) return state;
  if (before.paused && !state.paused) point.effects.push({ kind: 'turn-closed', turnId: before.paused.turnId, turn: 'closed' });
  return moveQueue(state, point);
}
