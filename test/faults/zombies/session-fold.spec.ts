import {
  advance,
  emptySession,
  foldSession,
  startOfPartition,
  type Effect,
  type PartitionTime,
  type SessionState,
} from '@doorledger/event-log';
import fc from 'fast-check';
import { histories, type HistoryStep } from '../../../libs/event-log/src/claims/testing/arbitrary-history.js';
import type { LoggedRecord, RecordData } from './found-on-log.js';
import { SessionFold } from './session-fold.js';

/** Where turns are, how runs ended, how requests were settled, and what became of the last attempt of each call. */
interface Found {
  readonly turns: Map<string, string>;
  readonly runs: Map<string, string>;
  readonly requests: Map<string, string>;
  readonly calls: Map<string, string>;
}

const placeOf = ({ record, time }: HistoryStep) => {
  const { timestamp, epoch } = time as PartitionTime;
  return { offset: record.position.offset, timestamp, epoch };
};

/** By the product's fold and its effects. */
function byProduct(steps: readonly HistoryStep[]): Found {
  const found: Found = { turns: new Map(), runs: new Map(), requests: new Map(), calls: new Map() };
  const attempts = new Map<string, number>();
  const take = (effect: Effect): unknown => {
    switch (effect.kind) {
      case 'run-stood':
        found.turns.set(effect.turnId, effect.turn);
        return found.runs.set(effect.runId, 'standing');
      case 'run-ended':
        found.turns.set(effect.turnId, effect.turn);
        return found.runs.set(effect.runId, effect.how);
      case 'turn-closed':
        return found.turns.set(effect.turnId, effect.turn);
      case 'request-pending':
        return found.requests.set(effect.requestId, 'pending');
      case 'request-settled':
        return found.requests.set(effect.requestId, effect.verdict);
      case 'call-dispatched':
        attempts.set(effect.callId, effect.attempt);
        return found.calls.set(effect.callId, `${effect.attempt} open`);
      case 'call-ended':
        return found.calls.set(effect.callId, `${effect.attempt} ${effect.outcome}`);
      case 'call-resolved':
        return found.calls.set(effect.callId, `${effect.attempt} ${effect.verdict}`);
      default:
        return undefined;
    }
  };
  let state: SessionState = emptySession;
  let time = startOfPartition;
  for (const { record, time: told } of steps) {
    time = advance(time, placeOf({ record, time: told }));
    const folded = foldSession(state, record, time);
    state = folded.state;
    folded.effects.forEach(take);
  }
  return found;
}

function bySecondFold(
  steps: readonly HistoryStep[],
  spoil: (record: LoggedRecord) => LoggedRecord | undefined = (record) => record,
): Found {
  const fold = new SessionFold();
  for (const { record, time } of steps) {
    const data = record.frozen as unknown as RecordData;
    const seen = spoil({ partition: 0, ...placeOf({ record, time }), key: 's', type: record.type, data });
    if (seen) fold.see(seen);
  }
  return {
    turns: new Map(fold.turns),
    runs: new Map([...fold.runs].map(([id, { how }]) => [id, how ?? 'standing'])),
    requests: new Map([...fold.requests].map(([id, { spent }]) => [id, spent?.verdict ?? 'pending'])),
    calls: new Map(
      [...fold.calls].map(([id, attempts]) => [id, `${attempts.length} ${attempts.at(-1)!.end ?? attempts.at(-1)!.word ?? 'open'}`]),
    ),
  };
}

const isReadable = ({ record }: HistoryStep): boolean => record.frozen !== undefined && record.frozen.type !== 'session.repaired';
const readable = histories(60).map((steps) => steps.filter(isReadable));

it('L2, L5, L7, N20, N22 and N31 who stands, what is spent and what was sent is the same by a second fold, written from the rules alone', () => {
  fc.assert(
    fc.property(readable, (steps) => {
      expect(bySecondFold(steps)).toEqual(byProduct(steps));
    }),
    { numRuns: 400 },
  );
});

it('the second fold differs where a spend, a dispatch or the end of a call is dropped, or time stands still', () => {
  const differs = (spoil: Parameters<typeof bySecondFold>[1]) =>
    fc.check(
      fc.property(readable, (steps) => {
        expect(bySecondFold(steps, spoil)).toEqual(byProduct(steps));
      }),
      { numRuns: 400, endOnFailure: true },
    ).failed;
  for (const type of ['consent.spent', 'tool-call.dispatched', 'tool-call.finished', 'turn.renewed'])
    expect([type, differs((record) => (record.type === type ? undefined : record))]).toEqual([type, true]);
  expect(differs((record) => ({ ...record, timestamp: 0 }))).toBe(true);
});
