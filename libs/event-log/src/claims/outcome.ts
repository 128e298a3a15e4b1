import type { Effect } from './effect.js';
import type { SessionState } from './state.js';
import type { FoldTime } from './time.js';
import type { Verdict, VoidReason } from './verdict.js';

/** One record being folded: its time, and where its effects are collected in order. */
export interface FoldPoint extends FoldTime {
  readonly effects: Effect[];
}

export interface Outcome {
  readonly state: SessionState;
  readonly verdict: Verdict;
}

const STANDS: Verdict = { stands: true };
const WAITS: Verdict = { stands: false, waits: true };
const IGNORED: Verdict = { stands: false, isIgnored: true };

export const standing = (state: SessionState): Outcome => ({ state, verdict: STANDS });
export const waiting = (state: SessionState): Outcome => ({ state, verdict: WAITS });
export const ignored = (state: SessionState): Outcome => ({ state, verdict: IGNORED });
export const voided = (state: SessionState, reason: VoidReason): Outcome => ({ state, verdict: { stands: false, reason } });
