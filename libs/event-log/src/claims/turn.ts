import type { FrozenRecords } from '@doorledger/contracts';
import { isPastLease, withRun } from './lease.js';
import { standing, voided, type FoldPoint, type Outcome } from './outcome.js';
import { leaveQueue, moveQueue } from './queue.js';
import { endRun } from './run-end.js';
import type { SessionState, StandingRun } from './state.js';

/** The standing run, if it is the one named. */
export const standingRun = ({ run }: SessionState, runId: string): StandingRun | undefined => (run?.runId === runId ? run : undefined);

/** `turn.renewed`: of a waiting run it counts first, then moves the queue. */
export function renewed(state: SessionState, { runId }: FrozenRecords['turn.renewed'], point: FoldPoint): Outcome {
  const run = standingRun(state, runId);
  if (run) return standing(withRun(state, run, point));
  const place = state.waiting.findIndex((w) => w.runId === runId);
  if (place < 0) return voided(state, 'no-run');
  point.effects.push({ kind: 'run-renewed', runId });
  const waiting = state.waiting.with(place, { ...state.waiting[place]!, leaseFrom: point.T });
  const renewedState = { ...state, waiting };
  return standing(state.blockedBy ? renewedState : moveQueue(renewedState, point));
}

export function stepped(state: SessionState, { runId }: FrozenRecords['turn.stepped'], point: FoldPoint): Outcome {
  const run = standingRun(state, runId);
  return run ? standing(withRun(state, run, point, { hasWorked: true })) : voided(state, 'no-run');
}

export function completed(state: SessionState, { runId }: FrozenRecords['turn.completed'], point: FoldPoint): Outcome {
  const run = standingRun(state, runId);
  return run ? standing(moveQueue(endRun(state, run, 'completed', point), point)) : voided(state, 'no-run');
}

/** `turn.failed` also ends the wait of a waiting run. */
export function failed(state: SessionState, { runId, errorName }: FrozenRecords['turn.failed'], point: FoldPoint): Outcome {
  const run = standingRun(state, runId);
  if (run) return standing(moveQueue(endRun(state, run, 'failed', point, errorName === 'GivenUp'), point));
  const waiting = state.waiting.find((w) => w.runId === runId);
  if (!waiting) return voided(state, 'no-run');
  leaveQueue(waiting, 'failed', point);
  return standing({ ...state, waiting: state.waiting.filter((w) => w !== waiting) });
}

/** `turn.lapsed`: moves the queue even when it is void, for it shows that time passed. */
export function lapsed(state: SessionState, { runId }: FrozenRecords['turn.lapsed'], point: FoldPoint): Outcome {
  const run = standingRun(state, runId);
  const moved = moveQueue(state, point);
  if (!run) return voided(moved, 'no-run');
  return isPastLease(run, point.T) ? standing(moved) : voided(moved, 'alive');
}
