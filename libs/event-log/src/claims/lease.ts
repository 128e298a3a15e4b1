import { LEASE_MS } from './limits.js';
import type { FoldPoint } from './outcome.js';
import type { SessionState, StandingRun, WaitingRun } from './state.js';

export const isPastLease = (run: WaitingRun, T: number): boolean => T - run.leaseFrom > LEASE_MS;

/** The session with its standing run changed by a standing record of that run, which refreshes the lease. */
export function withRun(state: SessionState, run: StandingRun, point: FoldPoint, change?: Partial<StandingRun>): SessionState {
  point.effects.push({ kind: 'run-renewed', runId: run.runId });
  return { ...state, run: { ...run, ...change, leaseFrom: point.T } };
}
