import { History } from './testing/history.js';

let h: History;
beforeEach(() => {
  h = new History();
  h.claim('r1', { idempotency: { key: 'k', body: 'b' } });
});

describe('session.closed', () => {
  it('N31 ends the run, voids the queue and closes granted requests', () => {
    h.mint('r1', 'q1', { grant: 'g' });
    h.dispatch('r1', 'c1');
    h.claim('r2', { wait: true });
    expect(h.close()).toBe('stands');
    expect(h.effects).toEqual([
      { kind: 'session-closed' },
      { kind: 'left-queue', runId: 'r2', turnId: 't-r2', why: 'closed', turn: 'closed' },
      { kind: 'request-settled', requestId: 'q1', verdict: 'closed', by: 'run-end' },
      { kind: 'run-ended', runId: 'r1', turnId: 't-r1', how: 'closed', turn: 'closed' },
      { kind: 'call-unknown', callId: 'c1', attempt: 1 },
    ]);
    expect(h.close()).toBe('closed');
    expect(h.claim('r3')).toBe('closed');
  });

  it('N31 is the closed spend of the pending request', () => {
    h.pause('r1', 'q1');
    h.close();
    expect(h.effects).toEqual([
      { kind: 'session-closed' },
      { kind: 'request-settled', requestId: 'q1', verdict: 'closed', by: 'session-closed' },
      { kind: 'turn-closed', turnId: 't-r1', turn: 'closed' },
    ]);
    expect(h.claim('r2', { resumes: 'q1', turnId: 't-r1' })).toBe('closed');
    expect(h.spend('q1', 'x', 'closed')).toBe('not-pending');
  });

  it('N31 settles the request once when a resume stands', () => {
    h.pause('r1', 'q1');
    h.claim('r2', { resumes: 'q1', turnId: 't-r1' });
    h.close();
    expect(h.effectsOf('request-settled')).toEqual([{ kind: 'request-settled', requestId: 'q1', verdict: 'closed', by: 'session-closed' }]);
    expect(h.effectsOf('run-ended')).toMatchObject([{ runId: 'r2', how: 'closed', turn: 'closed' }]);
    expect(h.effectsOf('turn-closed')).toEqual([]);
  });

  it('L2 still learns how a call ended whose dispatch stood before the close', () => {
    h.dispatch('r1', 'c1');
    h.dispatch('r1', 'c2');
    h.close();
    expect(h.finish('r1', 'c1')).toBe('stands');
    expect(h.reconcile('c2')).toBe('stands');
    expect(h.renew('r1')).toBe('no-run');
  });
});
