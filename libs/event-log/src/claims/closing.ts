import { standing, voided, type FoldPoint, type Outcome } from './outcome.js';
import { voidQueue } from './queue.js';
import { endRun } from './run-end.js';
import { settle } from './spend.js';
import type { SessionState } from './state.js';

/**
 * `session.closed`: over for good. It is the `closed` spend of a pending request (N31), and it lifts a block: no record can
 * claim anything here any more. Only late ends of calls still count.
 */
export function closed(before: SessionState, point: FoldPoint): Outcome {
  if (before.isClosed) return voided(before, 'closed');
  point.effects.push({ kind: 'session-closed' });
  if (before.blockedBy) point.effects.push({ kind: 'key-unblocked', position: before.blockedBy });
  let state: SessionState = { ...before, isClosed: true, blockedBy: undefined };
  const { paused } = state;
  if (paused) {
    point.effects.push({ kind: 'request-settled', requestId: paused.requestId, verdict: 'closed', by: 'session-closed' });
    if (!state.run) point.effects.push({ kind: 'turn-closed', turnId: paused.turnId, turn: 'closed' });
    state = settle(state, paused.requestId, 'closed');
  }
  state = voidQueue(state, 'closed', point);
  if (state.run) state = endRun(state, state.run, 'closed', point);
  return standing({ ...state, keys: [] });
}
