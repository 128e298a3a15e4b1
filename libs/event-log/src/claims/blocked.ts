import type { FrozenRecords } from '@doorledger/contracts';
import { closed } from './closing.js';
import { standing, voided, type FoldPoint, type Outcome } from './outcome.js';
import type { RecordPlace, SessionRecord } from './record.js';
import { spentUnreadably } from './spend.js';
import type { SessionState } from './state.js';

/** The types that count on a blocked key: none of them lets anything new run (L8). */
const countWhileBlocked: ReadonlySet<string> = new Set([
  'tool-call.finished',
  'turn.renewed',
  'consent.voted',
  'session.repaired',
  'session.closed',
]);

/** Types that nobody waits for: unreadable, they are void and block nothing. */
const neverBlock: ReadonlySet<string> = new Set([
  'tool-call.finished',
  'tool-call.reconciled',
  'turn.renewed',
  'consent.voted',
  'session.repaired',
]);

export const isBlocked = (state: SessionState, type: string | undefined): boolean =>
  state.blockedBy !== undefined && !(type !== undefined && countWhileBlocked.has(type));

/** A record of a claiming type whose frozen fields cannot be read, or whose type is not known at all (L8). */
export function unreadable(state: SessionState, { type, subject, position }: SessionRecord, point: FoldPoint): Outcome {
  if (type === 'session.closed') return closed(state, point);
  if (state.isClosed || (type !== undefined && neverBlock.has(type))) return voided(state, 'unreadable');
  if (type === 'consent.spent') return spentUnreadably(state, subject, point);
  point.effects.push({ kind: 'key-blocked', position });
  return voided({ ...state, blockedBy: position }, 'unreadable');
}

/** `session.repaired`: an operator treats the record that blocks as void. */
export function repaired(state: SessionState, { position }: FrozenRecords['session.repaired'], point: FoldPoint): Outcome {
  if (!state.blockedBy || !isSamePlace(state.blockedBy, position)) return voided(state, 'not-blocked');
  point.effects.push({ kind: 'key-unblocked', position: state.blockedBy });
  return standing({ ...state, blockedBy: undefined });
}

const isSamePlace = (a: RecordPlace, b: RecordPlace): boolean => a.partition === b.partition && a.offset === b.offset;
