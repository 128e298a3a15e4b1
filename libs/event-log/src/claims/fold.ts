import { isFrozenType, type FrozenRecord } from '@doorledger/contracts';
import { isBlocked, repaired, unreadable } from './blocked.js';
import { dispatched, finished, reconciled } from './calls.js';
import { claim } from './claim.js';
import { closed } from './closing.js';
import { closeOpening, minted, paused, voted } from './consent.js';
import type { Effect } from './effect.js';
import { ignored, voided, type FoldPoint, type Outcome } from './outcome.js';
import type { SessionRecord } from './record.js';
import { spent } from './spend.js';
import type { SessionState } from './state.js';
import type { FoldTime } from './time.js';
import { completed, failed, lapsed, renewed, stepped } from './turn.js';
import type { Verdict } from './verdict.js';

export interface Folded {
  readonly state: SessionState;
  readonly verdict: Verdict;
  /** In the order they happened. */
  readonly effects: readonly Effect[];
}

/**
 * The fold of a session (spec 6): what the record at this place of the partition changes. Pure: the same state, record and
 * time give the same answer to every reader, and the state given stays as it was. Bad data never throws (L8).
 * @param time the partition's time at the record (`advance`).
 */
export function foldSession(state: SessionState, record: SessionRecord, time: FoldTime): Folded {
  const effects: Effect[] = [];
  const outcome = judge(state, record, { T: time.T, timestamp: time.timestamp, effects });
  return { state: outcome.state, verdict: outcome.verdict, effects };
}

function judge(state: SessionState, record: SessionRecord, point: FoldPoint): Outcome {
  const { type, frozen } = record;
  if (type !== undefined && !isFrozenType(type)) return ignored(state);
  const current = closeOpening(state, frozen, point);
  if (isBlocked(current, type)) return voided(current, 'blocked');
  return frozen ? judgeReadable(current, frozen, point) : unreadable(current, record, point);
}

/** One case per row of the table. */
function judgeReadable(state: SessionState, fact: FrozenRecord, point: FoldPoint): Outcome {
  switch (fact.type) {
    case 'turn.claimed':
      return claim(state, fact, point);
    case 'turn.renewed':
      return renewed(state, fact, point);
    case 'turn.stepped':
      return stepped(state, fact, point);
    case 'turn.paused':
      return paused(state, fact, point);
    case 'turn.completed':
      return completed(state, fact, point);
    case 'turn.failed':
      return failed(state, fact, point);
    case 'turn.lapsed':
      return lapsed(state, fact, point);
    case 'consent.minted':
      return minted(state, fact, point);
    case 'consent.voted':
      return voted(state, fact, point);
    case 'consent.spent':
      return spent(state, fact, point);
    case 'tool-call.dispatched':
      return dispatched(state, fact, point);
    case 'tool-call.finished':
      return finished(state, fact, point);
    case 'tool-call.reconciled':
      return reconciled(state, fact, point);
    case 'session.closed':
      return closed(state, point);
    case 'session.repaired':
      return repaired(state, fact, point);
  }
}
