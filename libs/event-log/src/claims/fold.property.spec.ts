import fc from 'fast-check';
import type { Effect } from './effect.js';
import { foldSession, type Folded } from './fold.js';
import { packSession, unpackSession } from './pack.js';
import { emptySession, type SessionState } from './state.js';
import { histories, type HistoryStep } from './testing/arbitrary-history.js';
import { startOfPartition } from './time.js';
import { EffectLedger } from './testing/effect-ledger.js';

const RUNS = 150;
const LENGTH = 60;

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

function foldAll(
  steps: readonly HistoryStep[],
  each: (folded: Folded, step: HistoryStep, before: SessionState) => void = () => undefined,
): SessionState {
  let state: SessionState = emptySession;
  for (const step of steps) {
    const folded = foldSession(state, step.record, step.time);
    each(folded, step, state);
    state = folded.state;
  }
  return state;
}

const holds = (property: (steps: HistoryStep[]) => void, length = LENGTH) =>
  fc.assert(fc.property(histories(length), property), { numRuns: RUNS });

it('L9 gives two readers the same verdicts, effects and state, one of which stores and reloads it after every record', () => {
  holds((steps) => {
    let reloaded = emptySession;
    foldAll(steps, ({ state, verdict, effects }, { record, time }) => {
      const other = foldSession(deepFreeze(unpackSession(packSession(reloaded))), record, time);
      expect(other.verdict).toEqual(verdict);
      expect(other.effects).toEqual(effects);
      expect(packSession(other.state)).toBe(packSession(state));
      reloaded = other.state;
    });
  });
});

it('L7 changes nothing by a copy right behind its record, but for the lease it refreshes anyway', () => {
  holds((steps) => {
    foldAll(steps, ({ state }, { record, time }) => {
      const { effects, ...copy } = foldSession(state, record, time);
      expect(packSession(copy.state)).toBe(packSession(state));
      expect(effects.filter((e) => !['run-renewed', 'call-conflict', 'request-void'].includes(e.kind))).toEqual([]);
    });
  });
});

it('L1 judges leases by differences of T alone: wherever T starts, every verdict is the same', () => {
  holds((steps) => {
    let shifted = emptySession;
    foldAll(steps, ({ verdict, effects }, { record, time }) => {
      const other = foldSession(shifted, record, { T: time.T + 1e9, timestamp: time.timestamp });
      expect([other.verdict, other.effects]).toEqual([verdict, effects]);
      shifted = other.state;
    });
  });
});

it('L5, L2 and N31 keep one standing run, one spend per request and one dispatch per attempt, whatever is written, late or twice', () => {
  holds((steps) => {
    const ledger = new EffectLedger();
    foldAll(steps, ({ effects, state }) => {
      for (const effect of effects) ledger.apply(effect);
      expect(ledger.violations).toEqual([]);
      expect(ledger.view()).toEqual(EffectLedger.viewOf(state));
    });
  });
});

it('L5 and N20 let runs wait only behind a standing one, and only a resume of it stand while a request is paused', () => {
  holds((steps) => {
    foldAll(steps, ({ state: { run, paused, waiting } }) => {
      if (waiting.length) expect([run !== undefined, paused]).toEqual([true, undefined]);
      if (run && paused) expect(run.resumes).toBe(paused.requestId);
    });
  });
});

it('L5, L2 and N31 are broken in the eyes of that check by each double act it should see', () => {
  const run = { runId: 'r1', turnId: 't', turn: 'running', hostId: 'h', bootId: 'b', fromQueue: false } as const;
  const call = { callId: 'c', attempt: 1, runId: 'r1', turnId: 't' };
  const settled = { kind: 'request-settled', requestId: 'q', by: 'spend' } as const;
  const pending: Effect = { kind: 'request-pending', requestId: 'q', callId: 'c', turnId: 't', isGranted: true };
  const ended: Effect = { kind: 'run-ended', runId: 'r1', turnId: 't', how: 'failed', turn: 'failed' };
  const plants: Effect[][] = [
    [{ kind: 'run-stood', ...run }, { kind: 'run-stood', ...run, runId: 'r2' }],
    [{ kind: 'run-stood', ...run }, ended, { kind: 'run-stood', ...run }],
    [pending, { ...settled, verdict: 'closed' }, { ...settled, verdict: 'expired' }],
    [pending, { ...settled, verdict: 'approved', claimId: 'r1' }],
    [{ kind: 'run-stood', ...run }, { kind: 'call-dispatched', ...call }, { kind: 'call-dispatched', ...call }],
    [{ kind: 'run-stood', ...run }, { kind: 'call-dispatched', ...call }, { kind: 'call-dispatched', ...call, attempt: 2 }],
    [{ kind: 'call-dispatched', ...call }],
  ]; // prettier-ignore
  for (const effects of plants) {
    const ledger = new EffectLedger();
    effects.forEach((e) => ledger.apply(e));
    expect(ledger.violations).toHaveLength(1);
  }
});

it('L5 can always be served again once lapses were decided: no history leaves a session that nobody can claim, resume or settle', () => {
  holds((steps) => {
    const { T: before, timestamp } = steps.at(-1)?.time ?? startOfPartition;
    let state = foldAll(steps);
    const T = before + 40_000;
    const fold = (frozen: Parameters<typeof foldSession>[1]['frozen']) => {
      const folded = foldSession(state, { position: { partition: 0, offset: 1e6 }, type: frozen!.type, frozen }, { T, timestamp });
      state = folded.state;
      return folded.verdict;
    };
    if (state.blockedBy) fold({ type: 'session.repaired', position: state.blockedBy, treatAs: 'void' });
    if (state.isClosed) return;
    fold({ type: 'turn.lapsed', runId: 'nobody' });
    expect(state.waiting).toEqual([]);
    const { paused, lastRunId } = state;
    const signer = state.owner ?? undefined;
    const resume = paused && { resumes: paused.requestId, turnId: paused.turnId };
    const claim = {
      type: 'turn.claimed',
      turnId: 'fresh',
      runId: 'fresh',
      hostId: 'h',
      bootId: 'b',
      after: lastRunId,
      signer,
      ...resume,
    } as const;
    expect(fold(claim)).toEqual({ stands: true });
    if (paused)
      expect(fold({ type: 'consent.spent', requestId: paused.requestId, claimId: 'x', verdict: 'closed' })).toEqual({ stands: true });
  });
});

it('L8 never throws and never changes the state it is given, whatever the frozen fields hold', () => {
  const wild = fc.record({
    type: fc.constantFrom('turn.claimed', 'consent.minted', 'consent.spent', 'tool-call.dispatched', 'tool-call.finished', 'turn.paused', 'session.repaired'),
    runId: fc.constantFrom('', 'r1', '__proto__'), turnId: fc.string(), requestId: fc.constantFrom('q', 'constructor'), callId: fc.constantFrom('c', 'toString'),
    attempt: fc.integer(), after: fc.constantFrom(null, 'r1', '__proto__'), claimId: fc.constantFrom('r1', '__proto__'), verdict: fc.constantFrom('approved', 'closed'),
    quorum: fc.integer(), notAfter: fc.integer(), spendBy: fc.integer(), outcome: fc.constantFrom('ok', 'not-sent'), position: fc.constant({ partition: -1, offset: -1 }),
  }); // prettier-ignore
  fc.assert(
    fc.property(fc.array(wild, { maxLength: 20 }), fc.array(fc.integer(), { minLength: 20, maxLength: 20 }), (records, times) => {
      let state = deepFreeze(emptySession);
      records.forEach((frozen, i) => {
        const record = { position: { partition: 0, offset: i }, type: frozen.type, frozen: frozen as never };
        state = deepFreeze(foldSession(state, record, { T: times[i]!, timestamp: times[i]! }).state);
      });
    }),
    { numRuns: RUNS },
  );
});
