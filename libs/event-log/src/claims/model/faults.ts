import type { FrozenRecords } from '@doorledger/contracts';
import { foldSession, type Folded } from '../fold.js';
import type { SessionRecord } from '../record.js';
import type { SessionState, StandingRun } from '../state.js';
import type { ModelFold } from './world.js';

/** A wrong fold, a scene that shows it, and the class of what then goes wrong first. */
export interface Fault {
  readonly fold: ModelFold;
  readonly scene: string;
  readonly breaks: string;
  readonly hasClockPerReader?: true;
}

type Spent = FrozenRecords['consent.spent'];

const withRun = (state: SessionState, change: Partial<StandingRun>): SessionState =>
  state.run ? { ...state, run: { ...state.run, ...change } } : state;

const respending = (state: SessionState, { requestId }: Spent): SessionState =>
  withRun(state, { requests: state.run?.requests.map((r) => (r.requestId === requestId ? { ...r, spent: undefined } : r)) ?? [] });

/** A fold that asks no run for an approval or a decline: it takes the spend for a close, then writes its verdict over it. */
function spendByAnybody(state: SessionState, record: SessionRecord, spent: Spent, time: Parameters<ModelFold>[2]): Folded {
  const closing = { ...record, frozen: { ...spent, type: 'consent.spent', verdict: 'closed' } as const };
  const folded = foldSession(state, closing, time);
  const requests =
    folded.state.run?.requests.map((r) => (r.requestId === spent.requestId && r.spent ? { ...r, spent: spent.verdict } : r)) ?? [];
  return { ...folded, state: withRun(folded.state, { requests }) };
}

/** A fold under which a failed resume takes its request with it. */
function losingRequests(state: SessionState, record: SessionRecord, time: Parameters<ModelFold>[2]): Folded {
  const folded = foldSession(state, record, time);
  const isLost = record.type === 'turn.failed' && folded.verdict.stands && state.run?.resumes !== undefined;
  return isLost ? { ...folded, state: { ...folded.state, paused: undefined } } : folded;
}

/** Folds that are wrong in one way each, made from the right one by changing what it is given or what it answers. */
export const faults: Readonly<Record<string, Fault>> = {
  'N20: the last spend wins': {
    scene: 'N52: a grant, late copies',
    breaks: 'SPEND-CHANGED',
    fold: (state, record, time) =>
      foldSession(record.frozen?.type === 'consent.spent' ? respending(state, record.frozen) : state, record, time),
  },
  'L7: no `after`': {
    scene: 'L5: a queue, late copies',
    breaks: 'ZOMBIE',
    fold: (state, record, time) =>
      foldSession(
        state,
        record.frozen?.type === 'turn.claimed' ? { ...record, frozen: { ...record.frozen, after: state.lastRunId } } : record,
        time,
      ),
  },
  'L2: no `attempt`': {
    scene: 'L2: a call, late copies of its records',
    breaks: 'DISPATCHED-TWICE',
    fold: (state, record, time) => {
      const { frozen } = record;
      if (frozen?.type !== 'tool-call.dispatched') return foldSession(state, record, time);
      const calls = state.run?.calls.filter((c) => c.callId !== frozen.callId) ?? [];
      return foldSession(withRun(state, { calls }), { ...record, frozen: { ...frozen, attempt: 1 } }, time);
    },
  },
  'N20: a spend without its run': {
    scene: 'D18: the key of a decision, a crash',
    breaks: 'SPEND-RUN',
    fold: (state, record, time) => {
      const { frozen } = record;
      const isRuns = frozen?.type === 'consent.spent' && (frozen.verdict === 'approved' || frozen.verdict === 'declined');
      return isRuns ? spendByAnybody(state, record, frozen, time) : foldSession(state, record, time);
    },
  },
  "L1: lapses by the reader's own clock": {
    scene: 'L2: a call, late copies of its records',
    breaks: 'DISAGREE',
    hasClockPerReader: true,
    fold: (state, record, time, late) => foldSession(state, record, { ...time, T: time.T + late }),
  },
  'L8: a spend nobody can read is ignored': {
    scene: 'L8: a decision, a spend nobody can read',
    breaks: 'SPEND-CHANGED',
    fold: (state, record, time) =>
      record.type === 'consent.spent' && !record.frozen
        ? { state, verdict: { stands: false, isIgnored: true }, effects: [] }
        : foldSession(state, record, time),
  },
  'L5: a copy may wait twice': {
    scene: 'L5: a queue, late copies',
    breaks: 'DUP-QUEUE',
    fold: (state, record, time) => {
      const { frozen } = record;
      const twin = frozen?.type === 'turn.claimed' ? state.waiting.find((w) => w.runId === frozen.runId) : undefined;
      if (!twin) return foldSession(state, record, time);
      const folded = foldSession({ ...state, waiting: state.waiting.filter((w) => w !== twin) }, record, time);
      return { ...folded, state: { ...folded.state, waiting: [twin, ...folded.state.waiting] } };
    },
  },
  'L5: the queue never moves': {
    scene: 'L5: a queue',
    breaks: 'STUCK',
    fold: (state, record, time) => {
      const folded = foldSession(state, record, time);
      const isFromQueue = folded.effects.some((e) => e.kind === 'run-stood' && e.fromQueue);
      return isFromQueue ? { ...folded, state: { ...folded.state, run: undefined, waiting: state.waiting } } : folded;
    },
  },
  'D18: keys are not remembered': {
    scene: 'D18: one key, two messages',
    breaks: 'IDEMPOTENCY',
    fold: (state, record, time) =>
      foldSession(
        state,
        record.frozen?.type === 'turn.claimed' ? { ...record, frozen: { ...record.frozen, idempotency: undefined } } : record,
        time,
      ),
  },
  'D18: keys are never forgotten': {
    scene: 'D18: the key of a decision, a crash',
    breaks: 'KEY-BURNT',
    fold: (state, record, time) => {
      const folded = foldSession(state, record, time);
      const left = [state.run, ...state.waiting].flatMap((r) => (r?.key ? [r.key] : []));
      const { keys, run, waiting } = folded.state;
      const isHeld = (key: string): boolean => [...keys, ...[run, ...waiting].map((r) => r?.key)].some((k) => k?.key === key);
      return { ...folded, state: { ...folded.state, keys: [...keys, ...left.filter((k) => !isHeld(k.key))] } };
    },
  },
  'N50: a veto counts for nothing': {
    scene: 'N50: a quorum and a veto',
    breaks: 'VETO',
    fold: (state, record, time) => {
      const votes = state.paused?.votes.filter((v) => v.approved);
      return foldSession(
        record.type === 'consent.spent' && state.paused && votes ? { ...state, paused: { ...state.paused, votes } } : state,
        record,
        time,
      );
    },
  },
  'N31: a failed resume loses its request': { scene: 'D18: the key of a decision, a crash', breaks: 'UNSETTLEABLE', fold: losingRequests },
  'L5: a session is served once': {
    scene: 'L7: two claims, a crash, time',
    breaks: 'UNSERVABLE',
    fold: (state, record, time) =>
      record.type === 'turn.claimed' && state.lastRunId && !state.run
        ? { state, verdict: { stands: false, reason: 'busy' }, effects: [] }
        : foldSession(state, record, time),
  },
};
