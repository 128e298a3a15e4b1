import { whatBecame } from '@doorledger/consent';
import { topics, type FrozenRecord } from '@doorledger/contracts';
import { StoredRecord, foldSession, readSessionRecord, type SessionState } from '@doorledger/event-log';
import fc from 'fast-check';
import { histories, type HistoryStep } from '../../../event-log/src/claims/testing/arbitrary-history.js';
import { freshSession, projectSession } from '../projection/session.js';
import { RowChanges } from '../row-changes.js';
import type { Row, TableName } from '../schema/index.js';
import { requestRow } from './request-row.js';
import { RequestTruth } from './testing/request-truth.js';

const RUNS = 200;
const LENGTH = 60;

/** Every end there is, and a gated call under its request, as hosts dispatch it: to the fold these are the same histories. */
function told(frozen: FrozenRecord | undefined, nth: number): FrozenRecord | undefined {
  if (frozen?.type === 'tool-call.finished' && frozen.outcome === 'ok')
    return { ...frozen, outcome: (['ok', 'error', 'cancelled'] as const)[nth % 3]! };
  if (frozen?.type === 'tool-call.reconciled') return { ...frozen, verdict: nth % 2 ? 'ran' : 'did-not-run' };
  if (frozen?.type === 'tool-call.dispatched' && frozen.callId.startsWith('call-'))
    return { ...frozen, requestId: frozen.callId.slice('call-'.length) };
  return frozen;
}

function recordOf({ record, time }: HistoryStep): StoredRecord {
  const { position, type, subject } = record;
  const frozen = told(record.frozen, position.offset);
  const headers = { ...(type !== undefined && { ce_type: type }), ...(subject !== undefined && { ce_subject: subject }) };
  const value = frozen ? JSON.stringify({ data: frozen }) : null;
  return new StoredRecord(topics.session.name, position.partition, position.offset, time.timestamp, 1, 'session', value, headers);
}

interface Seen {
  readonly truth: RequestTruth;
  readonly state: SessionState;
  readonly consents: ReadonlyMap<string, Row<'consent'>>;
  readonly calls: ReadonlyMap<string, Row<'tool_call'>>;
}

/** The ledger's rows and what is true of them, after each record. */
function* story(steps: readonly HistoryStep[]): Iterable<Seen> {
  const session = freshSession('session', 0);
  const changes = new RowChanges();
  const truth = new RequestTruth();
  for (const step of steps) {
    const record = recordOf(step);
    const before = session.state;
    const read = readSessionRecord(record);
    truth.add(read, before, foldSession(before, read, step.time));
    projectSession(record, step.time, session, changes);
    yield {
      truth,
      state: session.state,
      consents: rowsOf(changes, 'consent', 'request_id'),
      calls: rowsOf(changes, 'tool_call', 'call_id'),
    };
  }
}

function rowsOf<T extends TableName>(changes: RowChanges, table: T, key: keyof Row<T>): Map<string, Row<T>> {
  const found = [...changes.rows()].flatMap((of) => (of.table === table ? (of.rows as unknown as Row<T>[]) : []));
  return new Map(found.map((row) => [row[key] as string, row]));
}

type Mapping = typeof requestRow;
const rowOf = (row: Row<'consent'>, call: Row<'tool_call'> | undefined, map: Mapping) =>
  whatBecame(map({ status: row.status ?? null, not_run_at: row.not_run_at ?? null }, call?.status ?? null));

/** Throws where what the ledger says of a request is not what is true of it. */
function check(steps: readonly HistoryStep[], map: Mapping = requestRow): Set<string> {
  const states = new Set<string>();
  for (const { truth, consents, calls } of story(steps))
    for (const [requestId, asked] of truth.requests) {
      if (asked.status === 'opening') continue;
      const row = consents.get(requestId)!;
      const became = truth.became(asked);
      expect([row.status, rowOf(row, calls.get(asked.callId), map)]).toEqual([asked.status, became]);
      expect((row.not_run_at ?? null) !== null).toBe(became.state === 'spent-not-run');
      states.add(became.state === 'never-ran' ? `never-ran ${became.by}` : became.state);
    }
  return states;
}

it('N12 and N22 say of every request what its records and their order say, whatever hosts write, late or twice', () => {
  fc.assert(
    fc.property(histories(LENGTH), (steps) => void check(steps)),
    { numRuns: RUNS },
  );
});

it('N12 and N22 are checked on histories in which every outcome there is comes about', () => {
  const states = new Set(fc.sample(histories(LENGTH), { seed: 1, numRuns: RUNS }).flatMap((steps) => [...check(steps)]));
  const neverRan = ['void', 'declined', 'closed', 'expired', 'unknown'].map((by) => `never-ran ${by}`);
  const all = [...neverRan, 'pending', 'under-way', 'spent-not-run', 'ran', 'did-not-run', 'outcome-unknown'];
  expect([...states].sort()).toEqual(all.sort());
});

it('N12 and N22 keep the rows of requests and calls as the fold’s own state has them', () => {
  fc.assert(
    fc.property(histories(LENGTH), (steps) => {
      for (const { state, consents, calls } of story(steps)) {
        const statusOf = (requestId: string) => consents.get(requestId)!.status;
        if (state.paused) expect(statusOf(state.paused.requestId)).toBe('pending');
        for (const { requestId, spent } of state.run?.requests ?? []) expect(statusOf(requestId)).toBe(spent ?? 'pending');
        for (const { callId, status } of state.run?.calls ?? []) expect(rowsSay[status]).toContain(calls.get(callId)!.status);
        for (const { callId, isReconciled } of state.unresolved)
          expect(isReconciled ? rowsSay.reconciled : ['outcome-unknown']).toContain(calls.get(callId)!.status);
      }
    }),
    { numRuns: RUNS },
  );
});

const rowsSay = { open: ['dispatched'], 'not-sent': ['not-sent'], ended: ['ok', 'error', 'cancelled'], reconciled: ['ran', 'did-not-run'] };

const faults: Record<string, Mapping> = {
  'a call that never was sent is under way for ever': (row, call) => ({ ...requestRow(row, call), isNotRun: false }),
  'every call that was not sent is given up at once': (row, call) => ({ ...requestRow(row, call), isNotRun: call === 'not-sent' }),
  'a call whose end nobody knows has ended': (row, call) => requestRow(row, call === 'outcome-unknown' ? 'ok' : call),
  'a cancelled call was not sent': (row, call) => requestRow(row, call === 'cancelled' ? 'not-sent' : call),
  'a person’s word is taken for its opposite': (row, call) => requestRow(row, call === 'did-not-run' ? 'ran' : call),
  'a call is not looked at': (row) => requestRow(row, null),
  'a request that was withdrawn counts as declined': (row, call) =>
    requestRow({ ...row, status: row.status === 'closed' ? 'declined' : row.status }, call),
};
it.each(Object.entries(faults))('N12 and N22 are broken in the eyes of that check when %s', (_, fault) => {
  const { failed } = fc.check(
    fc.property(histories(LENGTH), (steps) => void check(steps, fault)),
    { seed: 1, numRuns: RUNS * 5, endOnFailure: true },
  );
  expect(failed).toBe(true);
});
