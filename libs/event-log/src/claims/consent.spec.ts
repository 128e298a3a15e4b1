import { MAX_REQUESTS, MAX_VOTES } from './limits.js';
import { History } from './testing/history.js';

let h: History;
beforeEach(() => {
  h = new History();
  h.claim('r1');
});

describe('[consent.minted, turn.paused]', () => {
  it('N9 pauses the session, ends the run, and makes the request pending', () => {
    expect(h.mint('r1', 'q1', { quorum: 2, decideBy: 5, spendBy: 6 })).toBe('stands');
    expect(h.effectsOf('request-pending')).toEqual([]);
    expect(h.add({ type: 'turn.paused', runId: 'r1', requestId: 'q1' })).toBe('stands');
    expect(h.effects).toEqual([
      { kind: 'request-pending', requestId: 'q1', callId: 'call-q1', turnId: 't-r1', isGranted: false },
      { kind: 'run-ended', runId: 'r1', turnId: 't-r1', how: 'paused', turn: 'paused' },
    ]);
    expect(h.state.paused).toEqual({ requestId: 'q1', callId: 'call-q1', turnId: 't-r1', quorum: 2, decideBy: 5, spendBy: 6, votes: [] });
  });

  it('N9 has no effect but to be dropped when only the first half is there, whatever comes next', () => {
    const next: (() => string)[] = [
      () => h.renew('r1'),
      () => h.step('r1'),
      () => h.vote('q1', 'a'),
      () => h.spend('q1', 'r1'),
      () => h.mint('r1', 'q2'),
      () => h.claim('r2'),
      () => h.add({ type: 'turn.paused', runId: 'r1', requestId: 'q2' }),
      () => h.add({ type: 'turn.paused', runId: 'r9', requestId: 'q1' }),
      () => h.complete('r1'),
    ];
    for (const record of next) {
      h = new History();
      h.claim('r1');
      h.mint('r1', 'q1');
      record();
      expect(h.effects).toContainEqual({ kind: 'request-void', requestId: 'q1' });
      expect(h.add({ type: 'turn.paused', runId: 'r1', requestId: 'q1' })).toMatch(/no-re|no-run/);
      expect(h.state.paused).toBeUndefined();
      expect(h.spend('q1', 'x', 'closed')).toBe('not-pending');
    }
  });

  it('N9 is void when the run does not stand, or a request is pending already', () => {
    expect(h.pause('r9', 'q1')).toBe('no-run');
    h.pause('r1', 'q1');
    expect(h.pause('r1', 'q1')).toBe('no-run');
    h.claim('r2', { resumes: 'q1', turnId: 't-r1' });
    expect(h.mint('r2', 'q1')).toBe('minted');
    expect(h.mint('r2', 'q2')).toBe('pending');
    h.spend('q1', 'r2');
    expect(h.mint('r2', 'q1')).toBe('minted');
    expect(h.pause('r2', 'q2')).toBe('stands');
  });
});

describe('consent.minted under a grant', () => {
  it('N52 is pending at once, pauses nothing, and is spent by its own run', () => {
    expect(h.mint('r1', 'q1', { grant: 'g' })).toBe('stands');
    expect(h.effects).toContainEqual({ kind: 'request-pending', requestId: 'q1', callId: 'call-q1', turnId: 't-r1', isGranted: true });
    expect(h.state.paused).toBeUndefined();
    expect(h.mint('r1', 'q1', { grant: 'g' })).toBe('minted');
    expect(h.spend('q1', 'r1')).toBe('stands');
    expect(h.mint('r1', 'q1', { grant: 'g' })).toBe('minted');
    expect(h.spend('q1', 'x', 'closed')).toBe('not-pending');
  });

  it.each([
    ['completed', () => h.complete('r1')],
    ['lapsed', () => h.pass(30_001).lapse('r1')],
    ['paused', () => h.pause('r1', 'q2')],
    ['closed', () => h.close()],
  ])('N31 is closed by the end of its run when it is unspent: %s', (_, end) => {
    h.mint('r1', 'q1', { grant: 'g' });
    end();
    expect(h.effects).toContainEqual({ kind: 'request-settled', requestId: 'q1', verdict: 'closed', by: 'run-end' });
    expect(h.spend('q1', 'r1')).toBe('not-pending');
  });

  it('N52 holds at most 384 requests in a run', () => {
    for (let i = 0; i < MAX_REQUESTS; i++) h.mint('r1', `q${i}`, { grant: 'g' });
    expect(h.mint('r1', 'one-more', { grant: 'g' })).toBe('bound');
  });
});

describe('consent.voted', () => {
  it('N50 counts the first vote of a person on a pending request', () => {
    expect(h.vote('q1', 'a')).toBe('not-pending');
    h.pause('r1', 'q1');
    expect(h.vote('q1', 'a')).toBe('stands');
    expect(h.effects).toEqual([{ kind: 'voted', requestId: 'q1', by: 'a', approved: true }]);
    expect(h.vote('q1', 'a', false)).toBe('voted');
    expect(h.vote('q2', 'b')).toBe('not-pending');
    h.spend('q1', 'x', 'closed');
    expect(h.vote('q1', 'c')).toBe('not-pending');
  });

  it('N50 keeps the first 64 votes', () => {
    h.pause('r1', 'q1');
    for (let i = 0; i < MAX_VOTES; i++) expect(h.vote('q1', `p${i}`)).toBe('stands');
    expect(h.vote('q1', 'one-more')).toBe('bound');
  });
});
