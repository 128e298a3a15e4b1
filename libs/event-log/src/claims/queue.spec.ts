import { MAX_WAITING } from './limits.js';
import { History } from './testing/history.js';

let h: History;
beforeEach(() => {
  h = new History();
  h.claim('r1');
});
const wait = (runId: string, over = {}) => h.claim(runId, { wait: true, ...over });
const queue = () => h.state.waiting.map((w) => w.runId);

describe('the queue', () => {
  it('L5 lets a claim wait for the standing run and then stand, oldest first', () => {
    expect(wait('r2')).toBe('waits');
    expect(h.effects).toEqual([{ kind: 'run-waits', runId: 'r2', turnId: 't-r2', turn: 'waiting', hostId: 'host', bootId: 'boot' }]);
    expect(wait('r3')).toBe('waits');
    h.complete('r1');
    expect(h.effects).toContainEqual(expect.objectContaining({ kind: 'run-stood', runId: 'r2', fromQueue: true }));
    expect(h.state).toMatchObject({ lastRunId: 'r2', run: { runId: 'r2' } });
    h.fail('r2');
    expect(h.state.run?.runId).toBe('r3');
    expect(queue()).toEqual([]);
  });

  it('L5 lets a fresh claim that waits stand at once where nothing holds the session', () => {
    h.complete('r1');
    expect(wait('r2')).toBe('stands');
  });

  it('L5 never overtakes: a claim that may not wait is busy while others do', () => {
    wait('r2');
    expect(h.claim('r3')).toBe('busy');
    h.complete('r1');
    expect(h.claim('r4')).toBe('busy');
    expect(h.state.run?.runId).toBe('r2');
  });

  it('L7 tells a waiting claim only of a stale `after`, so that it is made anew', () => {
    expect(wait('r2', { after: null })).toBe('after');
    expect(queue()).toEqual([]);
  });

  it('L5 holds at most 16', () => {
    for (let i = 0; i < MAX_WAITING; i++) expect(wait(`w${i}`)).toBe('waits');
    expect(wait('w16')).toBe('busy');
    h.fail('w3');
    expect(wait('w16')).toBe('waits');
    expect(queue()).toHaveLength(MAX_WAITING);
  });

  it('L5 lets no claim wait on a paused session, and a pause voids those that wait', () => {
    wait('r2');
    h.pause('r1', 'q1');
    expect(h.effectsOf('left-queue')).toEqual([{ kind: 'left-queue', runId: 'r2', turnId: 't-r2', why: 'paused', turn: 'abandoned' }]);
    expect(wait('r3')).toBe('paused');
    expect(h.state).toMatchObject({ run: undefined, waiting: [] });
  });

  it('L5 takes a failed waiting run out of the queue, and leaves the standing one alone', () => {
    wait('r2');
    expect(h.fail('r2', 'GivenUp')).toBe('stands');
    expect(h.effects).toEqual([{ kind: 'left-queue', runId: 'r2', turnId: 't-r2', why: 'failed', turn: 'failed' }]);
    expect(h.state.run?.runId).toBe('r1');
    expect(h.complete('r2')).toBe('no-run');
  });

  it('L1 drops waiting runs past their lease at the next claim, void or not', () => {
    wait('r2');
    h.pass(20_000);
    h.renew('r1');
    h.pass(20_000);
    expect(h.claim('r3')).toBe('busy');
    expect(h.effects).toEqual([{ kind: 'left-queue', runId: 'r2', turnId: 't-r2', why: 'lapsed', turn: 'abandoned' }]);
  });

  it('L1 passes over a waiting run past its lease when the standing run ends', () => {
    wait('r2');
    h.pass(20_000);
    h.renew('r1');
    wait('r3');
    h.pass(20_000);
    h.complete('r1');
    expect(h.state.run?.runId).toBe('r3');
  });

  it('L1 counts the renewal of a waiting run first, and then moves the queue', () => {
    wait('r2');
    expect(h.pass(40_000).renew('r2')).toBe('stands');
    expect(h.effects.map((e) => e.kind)).toEqual(['run-renewed', 'run-ended', 'run-stood']);
    expect(h.state.run?.runId).toBe('r2');
  });

  it('L1 moves the queue at `turn.lapsed` too, even at a void one', () => {
    wait('r2');
    h.pass(20_000);
    h.renew('r1');
    expect(h.pass(20_000).lapse('r1')).toBe('alive');
    expect(queue()).toEqual([]);
    wait('r3');
    h.pass(29_000);
    h.renew('r3');
    expect(h.pass(2_000).lapse('r9')).toBe('no-run');
    expect(h.state.run?.runId).toBe('r3');
  });

  it('L1 keeps the lease of a waiting run as it was when it comes to stand', () => {
    wait('r2');
    h.pass(20_000);
    h.complete('r1');
    expect(h.state.run?.runId).toBe('r2');
    expect(h.pass(10_001).lapse('r2')).toBe('stands');
  });
});
