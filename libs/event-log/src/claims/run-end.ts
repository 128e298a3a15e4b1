import type { Effect, TurnStatus } from './effect.js';
import { KEY_KEPT_MS, MAX_KEYS, MAX_UNRESOLVED } from './limits.js';
import type { FoldPoint } from './outcome.js';
import type { IdempotencyKey, SessionState, StandingRun, UnresolvedCall } from './state.js';

export type RunEnd = Extract<Effect, { kind: 'run-ended' }>['how'];

const turnAfter: Readonly<Record<RunEnd, TurnStatus>> = {
  completed: 'completed',
  failed: 'failed',
  paused: 'paused',
  lapsed: 'abandoned',
  closed: 'closed',
};

/**
 * Ends the standing run, whatever record did it: settles what it held and keeps what outlives it. Leaves the queue as it is;
 * whoever ends a run moves it afterwards.
 */
export function endRun(state: SessionState, run: StandingRun, how: RunEnd, point: FoldPoint, isGivenUp = false): SessionState {
  settleRequests(run, point.effects);
  const isUnspentResume = run.resumes !== undefined && state.paused?.requestId === run.resumes;
  const isKeyKept = !isGivenUp && !isUnspentResume && (run.hasWorked || how === 'completed' || how === 'paused');
  point.effects.push({ kind: 'run-ended', runId: run.runId, turnId: run.turnId, how, turn: isUnspentResume ? 'paused' : turnAfter[how] });
  return {
    ...state,
    run: undefined,
    unresolved: keepUnresolved(state.unresolved, run, point.effects),
    keys: run.key && isKeyKept ? rememberKey(state.keys, run.key, point.timestamp) : state.keys,
  };
}

function settleRequests(run: StandingRun, effects: Effect[]): void {
  for (const { requestId, callId, isGranted, spent } of run.requests) {
    if (isGranted && spent === undefined) effects.push({ kind: 'request-settled', requestId, verdict: 'closed', by: 'run-end' });
    if (spent !== 'approved') continue;
    const call = run.calls.find((c) => c.callId === callId);
    if (!call || call.status === 'not-sent') effects.push({ kind: 'spent-not-run', requestId, callId });
  }
}

function keepUnresolved(unresolved: readonly UnresolvedCall[], run: StandingRun, effects: Effect[]): readonly UnresolvedCall[] {
  let kept: UnresolvedCall[] | undefined;
  for (const { status, ...call } of run.calls) {
    if (status !== 'open' && status !== 'reconciled') continue;
    if (status === 'open') effects.push({ kind: 'call-unknown', callId: call.callId, attempt: call.attempt });
    kept ??= [...unresolved];
    kept.push({ ...call, isReconciled: status === 'reconciled' });
    if (kept.length > MAX_UNRESOLVED) {
      const oldestReconciled = kept.findIndex((c) => c.isReconciled);
      kept.splice(Math.max(0, oldestReconciled), 1);
    }
  }
  return kept ?? unresolved;
}

function rememberKey(keys: readonly IdempotencyKey[], key: IdempotencyKey, now: number): readonly IdempotencyKey[] {
  return [...keys.filter((k) => now - k.timestamp < KEY_KEPT_MS).slice(1 - MAX_KEYS), key];
}
