import type { Effect } from './effect.js';
import { isPastLease } from './lease.js';
import type { FoldPoint } from './outcome.js';
import { endRun } from './run-end.js';
import type { SessionState, WaitingRun } from './state.js';

export type LeftQueue = Extract<Effect, { kind: 'left-queue' }>['why'];

const turnAfter = { failed: 'failed', lapsed: 'abandoned', paused: 'abandoned', closed: 'closed' } as const;

/**
 * The queue of spec 6: a standing run past its lease ends, waiting runs past theirs leave, then the oldest one stands where
 * no run stands and nothing is paused. Called only where the table says so: time alone moves nothing (L1).
 */
export function moveQueue(state: SessionState, point: FoldPoint): SessionState {
  let moved = state;
  if (moved.run && isPastLease(moved.run, point.T)) moved = endRun(moved, moved.run, 'lapsed', point);
  if (moved.waiting.some((w) => isPastLease(w, point.T))) {
    for (const w of moved.waiting) if (isPastLease(w, point.T)) leaveQueue(w, 'lapsed', point);
    moved = { ...moved, waiting: moved.waiting.filter((w) => !isPastLease(w, point.T)) };
  }
  const oldest = moved.waiting[0];
  if (!oldest || moved.run || moved.paused) return moved;
  const { runId, turnId, hostId, bootId } = oldest;
  point.effects.push({ kind: 'run-stood', runId, turnId, turn: 'running', hostId, bootId, fromQueue: true });
  return { ...moved, lastRunId: runId, run: { ...oldest, hasWorked: false, requests: [], calls: [] }, waiting: moved.waiting.slice(1) };
}

/** Its idempotency key goes with it: nobody did that work (D18). */
export function leaveQueue({ runId, turnId }: WaitingRun, why: LeftQueue, point: FoldPoint): void {
  point.effects.push({ kind: 'left-queue', runId, turnId, why, turn: turnAfter[why] });
}

/** Empties the queue: a pause and the session's end void every waiting claim. */
export function voidQueue(state: SessionState, why: LeftQueue, point: FoldPoint): SessionState {
  for (const w of state.waiting) leaveQueue(w, why, point);
  return state.waiting.length ? { ...state, waiting: [] } : state;
}
