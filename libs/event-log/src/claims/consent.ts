import type { FrozenRecord, FrozenRecords } from '@doorledger/contracts';
import { withRun } from './lease.js';
import { MAX_REQUESTS, MAX_VOTES } from './limits.js';
import { standing, voided, type FoldPoint, type Outcome } from './outcome.js';
import { voidQueue } from './queue.js';
import { endRun } from './run-end.js';
import type { RequestTerms, SessionState } from './state.js';
import { standingRun } from './turn.js';

type Minted = FrozenRecords['consent.minted'];

/**
 * `consent.minted`: under a grant the request is pending at once. Without one it only opens: the `turn.paused` right behind
 * it, in the same atomic batch, makes it pending (N9).
 */
export function minted(state: SessionState, fact: Minted, point: FoldPoint): Outcome {
  const run = standingRun(state, fact.runId);
  if (!run) return voided(state, 'no-run');
  const { requestId, callId } = fact;
  if (state.paused?.requestId === requestId || run.requests.some((r) => r.requestId === requestId)) return voided(state, 'minted');
  if (fact.grant === undefined) {
    if (state.paused) return voided(state, 'pending');
    return standing(withRun(state, run, point, { hasWorked: true, opening: termsOf(fact) }));
  }
  if (run.requests.length >= MAX_REQUESTS) return voided(state, 'bound');
  point.effects.push({ kind: 'request-pending', requestId, callId, turnId: run.turnId, isGranted: true });
  return standing(withRun(state, run, point, { hasWorked: true, requests: [...run.requests, { ...termsOf(fact), isGranted: true }] }));
}

function termsOf({ requestId, callId, quorum, decideBy, spendBy }: Minted): RequestTerms {
  return {
    requestId,
    callId,
    ...(quorum !== undefined && { quorum }),
    ...(decideBy !== undefined && { decideBy }),
    ...(spendBy !== undefined && { spendBy }),
  };
}

/** `turn.paused`: only right behind its `consent.minted`. Ends the run and voids the queue. */
export function paused(state: SessionState, { runId }: FrozenRecords['turn.paused'], point: FoldPoint): Outcome {
  const run = standingRun(state, runId);
  if (!run) return voided(state, 'no-run');
  const { opening, ...withoutOpening } = run;
  if (!opening) return voided(state, 'no-request');
  const { requestId, callId } = opening;
  const { turnId } = run;
  point.effects.push({ kind: 'request-pending', requestId, callId, turnId, isGranted: false });
  const ended = voidQueue(endRun(state, withoutOpening, 'paused', point), 'paused', point);
  return standing({ ...ended, paused: { ...opening, turnId, votes: [] } });
}

/**
 * Every record but the other half ends an opening: a lone `consent.minted` leaves nothing that anybody could wait for, and
 * the run that wrote it goes on.
 */
export function closeOpening(state: SessionState, next: FrozenRecord | undefined, point: FoldPoint): SessionState {
  if (!state.run?.opening) return state;
  const { opening, ...run } = state.run;
  if (next?.type === 'turn.paused' && next.runId === run.runId && next.requestId === opening.requestId) return state;
  point.effects.push({ kind: 'request-void', requestId: opening.requestId });
  return { ...state, run };
}

/** `consent.voted`: on the paused request; a person's first vote counts. */
export function voted(state: SessionState, { requestId, by, approved }: FrozenRecords['consent.voted'], point: FoldPoint): Outcome {
  const { paused: request } = state;
  if (request?.requestId !== requestId) return voided(state, 'not-pending');
  if (request.votes.some((v) => v.by === by)) return voided(state, 'voted');
  if (request.votes.length >= MAX_VOTES) return voided(state, 'bound');
  point.effects.push({ kind: 'voted', requestId, by, approved });
  return standing({ ...state, paused: { ...request, votes: [...request.votes, { by, approved }] } });
}
