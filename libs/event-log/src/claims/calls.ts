import type { FrozenRecords } from '@doorledger/contracts';
import { isPastLease, withRun } from './lease.js';
import { MAX_CALLS } from './limits.js';
import { standing, voided, type FoldPoint, type Outcome } from './outcome.js';
import { isPastDate } from './spend.js';
import type { RunCall, SessionState, StandingRun } from './state.js';
import { standingRun } from './turn.js';
import type { VoidReason } from './verdict.js';

type Dispatched = FrozenRecords['tool-call.dispatched'];

/** `tool-call.dispatched`: what stands may be sent once by its host (L2, L3). */
export function dispatched(state: SessionState, fact: Dispatched, point: FoldPoint): Outcome {
  const run = standingRun(state, fact.runId);
  if (!run) return voided(state, 'no-run');
  const { callId, attempt, requestId } = fact;
  const place = run.calls.findLastIndex((c) => c.callId === callId);
  const why = whyAttemptVoid(state, run.calls[place], fact) ?? whyGateVoid(run, fact, point.timestamp);
  if (why) return voided(state, why);
  if (place < 0 && run.calls.length >= MAX_CALLS) return voided(state, 'bound');
  // Last of all: a host that reads `lease` may renew and dispatch the same attempt again (L2).
  if (isPastLease(run, point.T)) return voided(state, 'lease');
  const gated = requestId === undefined ? undefined : { requestId };
  const call: RunCall = { callId, attempt, status: 'open', ...gated };
  point.effects.push({ kind: 'call-dispatched', callId, attempt, runId: run.runId, turnId: run.turnId, ...gated });
  return standing(withRun(state, run, point, { hasWorked: true, calls: place < 0 ? [...run.calls, call] : run.calls.with(place, call) }));
}

function whyAttemptVoid({ unresolved }: SessionState, last: RunCall | undefined, { callId, attempt }: Dispatched): VoidReason | undefined {
  if (!last) {
    if (unresolved.some((c) => c.callId === callId)) return 'open';
    return attempt === 1 ? undefined : 'attempt';
  }
  if (attempt !== last.attempt + 1) return 'attempt';
  return last.status === 'not-sent' ? undefined : 'open';
}

function whyGateVoid(run: StandingRun, { callId, requestId, notAfter }: Dispatched, now: number): VoidReason | undefined {
  if (isPastDate(notAfter, now)) return 'expired';
  if (requestId === undefined) return undefined;
  const request = run.requests.find((r) => r.requestId === requestId);
  if (request?.callId !== callId) return 'not-minted';
  if (request.spent !== 'approved') return 'not-approved';
  return isPastDate(request.spendBy, now) ? 'expired' : undefined;
}

/** `tool-call.finished`: closes an open attempt, or resolves one whose run ended first. */
export function finished(
  state: SessionState,
  { callId, attempt, outcome }: FrozenRecords['tool-call.finished'],
  point: FoldPoint,
): Outcome {
  const { run, unresolved } = state;
  const place = run ? run.calls.findLastIndex((c) => c.callId === callId && c.attempt === attempt) : -1;
  const call = run?.calls[place];
  if (run && call) {
    if (call.status === 'reconciled') point.effects.push({ kind: 'call-conflict', callId, attempt, outcome });
    if (call.status !== 'open') return voided(state, 'not-open');
    point.effects.push({ kind: 'call-ended', callId, attempt, outcome });
    const status = outcome === 'not-sent' ? 'not-sent' : 'ended';
    return standing(withRun(state, run, point, { calls: run.calls.with(place, { ...call, status }) }));
  }
  const late = unresolved.find((c) => c.callId === callId && c.attempt === attempt);
  if (late?.isReconciled) point.effects.push({ kind: 'call-conflict', callId, attempt, outcome });
  if (!late || late.isReconciled) return voided(state, 'not-open');
  point.effects.push({ kind: 'call-resolved', callId, attempt, verdict: outcome, by: 'host' });
  if (late.requestId !== undefined && outcome === 'not-sent')
    point.effects.push({ kind: 'spent-not-run', requestId: late.requestId, callId });
  return standing({ ...state, unresolved: unresolved.filter((c) => c !== late) });
}

/** `tool-call.reconciled`: a person's word on an open attempt; a `finished` after it is evidence, not an answer. */
export function reconciled(state: SessionState, fact: FrozenRecords['tool-call.reconciled'], point: FoldPoint): Outcome {
  const { callId, attempt, verdict } = fact;
  const { run, unresolved } = state;
  const isIt = (c: { callId: string; attempt: number }) => c.callId === callId && c.attempt === attempt;
  const inRun = run ? run.calls.findIndex((c) => isIt(c) && c.status === 'open') : -1;
  const late = unresolved.findIndex((c) => isIt(c) && !c.isReconciled);
  if (inRun < 0 && late < 0) return voided(state, 'not-open');
  point.effects.push({ kind: 'call-resolved', callId, attempt, verdict, by: 'person' });
  return standing(
    run && inRun >= 0
      ? { ...state, run: { ...run, calls: run.calls.with(inRun, { ...run.calls[inRun]!, status: 'reconciled' }) } }
      : { ...state, unresolved: unresolved.with(late, { ...unresolved[late]!, isReconciled: true }) },
  );
}
