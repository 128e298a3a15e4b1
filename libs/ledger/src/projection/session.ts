import type { AnyFactEvent, FactData } from '@doorledger/contracts';
import {
  emptySession,
  foldSession,
  packSession,
  readSessionRecord,
  type FoldTime,
  type SessionState,
  type StoredRecord,
} from '@doorledger/event-log';
import type { RowChanges } from '../row-changes.js';
import { projectCall } from './call.js';
import { tellConsentFeed } from './consent-feed.js';
import { projectConsent, recordAttempt } from './consent.js';
import { projectTurn } from './turn.js';
import { voidReason, type JudgedRecord } from './judged-record.js';
import { readEvent } from './readable.js';

/** A session while a batch is folded: its fold state and the columns that no state remembers. */
export interface FoldedSession {
  readonly key: string;
  readonly partition: number;
  state: SessionState;
  lastAt: number;
  lastOffset: number;
  turns: number;
  tenantRef: string | null;
  closedAt: number | null;
  closedReason: string | null;
}

/** A key without a row. */
export const freshSession = (key: string, partition: number): FoldedSession => ({
  key,
  partition,
  state: emptySession,
  lastAt: 0,
  lastOffset: 0,
  turns: 0,
  tenantRef: null,
  closedAt: null,
  closedReason: null,
});

/** A session's reference is 32 hex; a turn without a session is keyed by its UUID. */
const isSessionRef = (key: string): boolean => /^[0-9a-f]{32}$/.test(key);

/** Folds one record of the session topic and writes down what it changed. Statuses come from the fold's effects alone. */
export function projectSession(record: StoredRecord, time: FoldTime, session: FoldedSession, changes: RowChanges): void {
  const { state, verdict, effects } = foldSession(session.state, readSessionRecord(record), time);
  const reading = readEvent(record);
  const event = reading && 'event' in reading ? reading.event : undefined;
  if (event?.type === 'turn.claimed' && (verdict.stands || verdict.waits)) session.tenantRef ??= event.data.tenantRef ?? null;
  const judged: JudgedRecord = { record, event, verdict, state, tenantRef: session.tenantRef };
  session.state = state;
  session.lastOffset = record.offset;
  if (verdict.stands || verdict.waits || session.lastAt === 0) session.lastAt = record.timestamp;
  appendFact(judged, changes);
  recordAttempt(judged, changes);
  projectTurn(judged, effects, changes);
  projectConsent(judged, effects, changes);
  tellConsentFeed(judged, effects, changes);
  projectCall(judged, effects, changes);
  for (const effect of effects) {
    if (effect.kind === 'run-stood' && effect.resumes === undefined) session.turns++;
    if (effect.kind !== 'session-closed') continue;
    session.closedAt = record.timestamp;
    session.closedReason = event?.type === 'session.closed' ? event.data.reason : null;
  }
}

/** The row of a session as of the batch's end. */
export function putSession(session: FoldedSession, changes: RowChanges): void {
  const { state } = session;
  changes.put('session', {
    session_key: session.key,
    partition: session.partition,
    named: isSessionRef(session.key) ? 1 : 0,
    state: packSession(state),
    owner: state.owner,
    tenant_ref: session.tenantRef,
    last_at: session.lastAt,
    last_offset: session.lastOffset,
    turns: session.turns,
    awaiting: state.paused?.requestId ?? null,
    closed_at: session.closedAt,
    closed_reason: session.closedReason,
    blocked_by: state.blockedBy?.offset ?? null,
  });
}

function appendFact({ record, event, verdict }: JudgedRecord, changes: RowChanges): void {
  const { decoded } = record;
  const data = event?.data as { readonly turnId?: string } | undefined;
  const named = namedBy(event);
  changes.append('fact', {
    partition: record.partition,
    offset: record.offset,
    session_key: record.key,
    event_id: decoded.id ?? null,
    type: decoded.type ?? null,
    turn_id: data?.turnId ?? null,
    at: record.timestamp,
    verdict: verdict.stands ? 'stands' : verdict.waits ? 'waits' : verdict.isIgnored ? 'ignored' : 'void',
    void_reason: voidReason(verdict),
    data: data ? JSON.stringify(data) : null,
    private_partition: named?.partition ?? null,
    private_offset: named?.offset ?? null,
    private_hash: named?.hash ?? null,
  });
}

/** The private content that a record names (L10). */
function namedBy(event: AnyFactEvent | undefined): FactData<'turn.paused'>['private'] | undefined {
  switch (event?.type) {
    case 'turn.stepped':
    case 'turn.paused':
    case 'turn.completed':
    case 'turn.failed':
      return event.data.private;
    default:
      return undefined;
  }
}
