import fc from 'fast-check';
import type { FrozenRecord } from '@doorledger/contracts';
import { foldSession } from '../fold.js';
import type { SessionRecord } from '../record.js';
import { emptySession, type SessionState } from '../state.js';
import { advance, startOfPartition, type FoldTime } from '../time.js';

export interface HistoryStep {
  readonly record: SessionRecord;
  readonly time: FoldTime;
}

const kinds = [
  'claim', 'resume', 'renew', 'step', 'pause', 'half', 'complete', 'fail', 'givenUp', 'lapse', 'mintGranted', 'vote', 'approve', 'decline', 'closeRequest',
  'expire', 'dispatch', 'gatedDispatch', 'finish', 'notSent', 'reconcile', 'unreadable', 'repair', 'copy', 'closeSession',
] as const; // prettier-ignore
type Kind = (typeof kinds)[number];
const unreadableTypes = [
  'turn.claimed',
  'turn.completed',
  'consent.spent',
  'consent.minted',
  'turn.renewed',
  'session.repaired',
  'gate.observed',
  undefined,
];

/** What hosts that see the state would mostly write next. */
function likely({ blockedBy, run, paused, isClosed }: SessionState): readonly Kind[] {
  if (blockedBy) return ['repair', 'renew', 'vote', 'finish', 'claim'];
  if (isClosed) return ['finish', 'claim', 'reconcile'];
  if (!run) return paused ? ['resume', 'resume', 'vote', 'vote', 'closeRequest', 'expire'] : ['claim', 'claim', 'reconcile', 'finish'];
  if (run.calls.at(-1)?.status === 'open')
    return ['finish', 'finish', 'notSent', 'notSent', 'reconcile', 'lapse', 'fail', 'claim', 'renew'];
  if (paused) return ['approve', 'approve', 'approve', 'decline', 'vote', 'closeRequest', 'expire', 'fail', 'renew'];
  const held = run.requests.at(-1);
  if (held && held.spent !== 'declined' && !run.calls.some((c) => c.callId === held.callId))
    return ['approve', 'gatedDispatch', 'gatedDispatch', 'decline', 'complete'];
  return [
    'step',
    'claim',
    'claim',
    'dispatch',
    'dispatch',
    'gatedDispatch',
    'pause',
    'pause',
    'mintGranted',
    'complete',
    'fail',
    'renew',
    'lapse',
    'half',
  ];
}

interface Op {
  /** Absent: one of the likely ones. */
  readonly kind?: Kind;
  /** Chooses among what there is: a run, a request, a call, an older record. */
  readonly pick: number;
  /** Whether the host looks at the state as it is, or names something older. */
  readonly isFresh: boolean;
  readonly waits: boolean;
  readonly ms: number;
  readonly epochStep: number;
}

const op: fc.Arbitrary<Op> = fc.record({
  kind: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom<Kind>(...kinds) }),
  pick: fc.nat(999),
  isFresh: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  waits: fc.boolean(),
  ms: fc.oneof(
    { weight: 6, arbitrary: fc.nat(4_000) },
    { weight: 2, arbitrary: fc.nat(35_000) },
    { weight: 1, arbitrary: fc.integer({ min: -90_000, max: 90_000_000 }) },
  ),
  epochStep: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
});

/**
 * Whatever hosts could write, in any order and with late copies, under clocks that jump. Ids are never used twice, as no
 * host does; records choose among what exists so that histories get somewhere.
 */
export const histories = (maxLength: number): fc.Arbitrary<HistoryStep[]> =>
  fc.array(op, { minLength: 1, maxLength, size: 'max' }).map(write);

function write(ops: readonly Op[]): HistoryStep[] {
  const steps: HistoryStep[] = [];
  const names = { runs: ['r0'], requests: ['q0'], calls: ['c0'] };
  let state: SessionState = emptySession;
  let time = { ...startOfPartition, timestamp: 1_000_000 };
  for (const o of ops) {
    for (const of of recordsOf(o, state, names, steps, time.timestamp)) {
      time = advance(time, { offset: steps.length, epoch: time.epoch + o.epochStep, timestamp: time.timestamp + o.ms });
      const record = { ...of, position: { partition: 0, offset: steps.length } };
      steps.push({ record, time });
      state = foldSession(state, record, time).state;
    }
  }
  return steps;
}

type Names = Readonly<Record<'runs' | 'requests' | 'calls', string[]>>;

function recordsOf(
  o: Op,
  state: SessionState,
  names: Names,
  steps: readonly HistoryStep[],
  now: number,
): Omit<SessionRecord, 'position'>[] {
  const any = (of: readonly string[]): string => of[o.pick % of.length]!;
  const fresh = (of: string[], letter: string): string => of[of.push(`${letter}${of.length}`) - 1]!;
  const runId = o.isFresh ? (state.run?.runId ?? any(names.runs)) : any(names.runs);
  const requestId = o.isFresh
    ? (state.paused?.requestId ?? state.run?.requests.at(-1)?.requestId ?? any(names.requests))
    : any(names.requests);
  const open = state.run?.calls.findLast((c) => c.status === 'open');
  const callId = o.isFresh && open ? open.callId : any(names.calls);
  const attempt = 1 + (o.pick % 2);
  const of = (...frozen: FrozenRecord[]) => frozen.map((f) => ({ type: f.type, frozen: f }));
  const claim = (over: object): FrozenRecord => {
    const after = o.isFresh || names.runs.length < 3 ? state.lastRunId : any(names.runs);
    const id = fresh(names.runs, 'r');
    const idempotency = o.pick % 3 ? undefined : { key: `k${o.pick % 4}`, body: 'b' };
    return { type: 'turn.claimed', turnId: `t-${id}`, runId: id, hostId: 'h', bootId: 'b', after, wait: o.waits, idempotency, ...over };
  };
  const mint = (over: object): FrozenRecord => {
    const id = fresh(names.requests, 'q');
    const dates = o.pick % 4 ? {} : { decideBy: now + (o.pick % 50) * 1_000 };
    names.calls.push(`call-${id}`);
    return { type: 'consent.minted', runId, requestId: id, callId: `call-${id}`, ...(o.pick % 5 ? {} : { quorum: 1 }), ...dates, ...over };
  };
  const spend = (verdict: 'approved' | 'declined' | 'closed' | 'expired', claimId: string) =>
    of({ type: 'consent.spent', requestId, claimId, verdict });
  const plausible = likely(state);
  const kind = o.kind ?? plausible[o.pick % plausible.length]!;
  switch (kind) {
    case 'claim':
      return of(claim({}));
    case 'resume':
      return of(claim({ resumes: requestId, turnId: state.paused?.turnId ?? 't-r0', wait: undefined }));
    case 'renew':
      return of({ type: 'turn.renewed', runId: state.waiting.length && o.waits ? any(state.waiting.map((w) => w.runId)) : runId });
    case 'step':
      return of({ type: 'turn.stepped', runId });
    case 'pause': {
      const minted = mint({}) as Extract<FrozenRecord, { type: 'consent.minted' }>;
      return of(minted, { type: 'turn.paused', runId, requestId: minted.requestId });
    }
    case 'half':
      return of(o.waits ? mint({}) : { type: 'turn.paused', runId, requestId });
    case 'complete':
      return of({ type: 'turn.completed', runId });
    case 'fail':
    case 'givenUp':
      return of({ type: 'turn.failed', runId: o.waits ? any(names.runs) : runId, errorName: kind === 'givenUp' ? 'GivenUp' : 'Error' });
    case 'lapse':
      return of({ type: 'turn.lapsed', runId });
    case 'mintGranted':
      return of(mint({ grant: 'g', quorum: undefined }));
    case 'vote':
      return of({ type: 'consent.voted', requestId, by: `p${o.pick % 3}`, approved: o.pick % 7 > 0 });
    case 'approve':
      return spend('approved', runId);
    case 'decline':
      return spend('declined', runId);
    case 'closeRequest':
      return spend('closed', `x${steps.length}`);
    case 'expire':
      return spend('expired', `x${steps.length}`);
    case 'dispatch': {
      const next = state.run?.calls.findLast((c) => c.status === 'not-sent');
      return of({
        type: 'tool-call.dispatched',
        runId,
        ...(next && o.waits ? { callId: next.callId, attempt: next.attempt + 1 } : { callId: fresh(names.calls, 'c'), attempt: 1 }),
      });
    }
    case 'gatedDispatch': {
      const request = state.run?.requests.findLast((r) => o.isFresh === (r.spent === 'approved'));
      const call = state.run?.calls.find((c) => c.callId === request?.callId);
      return of({
        type: 'tool-call.dispatched',
        runId,
        callId: request?.callId ?? callId,
        attempt: (call?.attempt ?? 0) + 1,
        requestId: request?.requestId ?? requestId,
      });
    }
    case 'finish':
    case 'notSent':
      return of({
        type: 'tool-call.finished',
        runId,
        callId,
        attempt: o.isFresh ? (open?.attempt ?? attempt) : attempt,
        outcome: kind === 'finish' ? 'ok' : 'not-sent',
      });
    case 'reconcile':
      return of({ type: 'tool-call.reconciled', callId, attempt, verdict: 'ran', by: 'p0' });
    case 'unreadable':
      return [{ type: unreadableTypes[o.pick % unreadableTypes.length], subject: o.waits ? requestId : undefined }];
    case 'repair':
      return of({ type: 'session.repaired', position: state.blockedBy ?? { partition: 0, offset: o.pick }, treatAs: 'void' });
    case 'closeSession':
      return of({ type: 'session.closed' });
    case 'copy': {
      const copied = steps[o.pick % Math.max(1, steps.length)];
      return copied ? [copied.record] : [];
    }
  }
}
