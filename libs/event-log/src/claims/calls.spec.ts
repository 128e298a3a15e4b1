import { MAX_CALLS, MAX_UNRESOLVED } from './limits.js';
import { History } from './testing/history.js';

let h: History;
beforeEach(() => {
  h = new History();
  h.claim('r1');
});

describe('tool-call.dispatched', () => {
  it('L2 stands once per attempt, and only for the standing run', () => {
    expect(h.dispatch('r9', 'c1')).toBe('no-run');
    expect(h.dispatch('r1', 'c1')).toBe('stands');
    expect(h.effects[0]).toEqual({ kind: 'call-dispatched', callId: 'c1', attempt: 1, runId: 'r1', turnId: 't-r1' });
    expect(h.dispatch('r1', 'c1')).toBe('attempt');
    expect(h.dispatch('r1', 'c1', 2)).toBe('open');
    h.finish('r1', 'c1');
    expect(h.dispatch('r1', 'c1')).toBe('attempt');
    expect(h.dispatch('r1', 'c1', 2)).toBe('open');
  });

  it('L2 allows the next attempt only after the last one ended not-sent', () => {
    expect(h.dispatch('r1', 'c1', 2)).toBe('attempt');
    h.dispatch('r1', 'c1');
    expect(h.finish('r1', 'c1', 1, 'not-sent')).toBe('stands');
    expect(h.dispatch('r1', 'c1', 1)).toBe('attempt');
    expect(h.dispatch('r1', 'c1', 3)).toBe('attempt');
    expect(h.dispatch('r1', 'c1', 2)).toBe('stands');
    expect(h.finish('r1', 'c1', 1, 'not-sent')).toBe('not-open');
  });

  it('L2 names the lease as the reason only where there is no other, so that its host may renew and try again', () => {
    h.pass(30_001);
    expect(h.dispatch('r1', 'c1', 2)).toBe('attempt');
    expect(h.dispatch('r1', 'c1', 1, { requestId: 'q1' })).toBe('not-minted');
    expect(h.dispatch('r1', 'c1')).toBe('lease');
    h.renew('r1');
    expect(h.dispatch('r1', 'c1')).toBe('stands');
  });

  it('L11 is void past `notAfter` by its own log timestamp', () => {
    const notAfter = h.timestamp + 10;
    h.timestamp += 10;
    expect(h.dispatch('r1', 'c1', 1, { notAfter })).toBe('stands');
    h.timestamp += 1;
    expect(h.dispatch('r1', 'c2', 1, { notAfter })).toBe('expired');
  });

  it('N22 stands for a gated call only after its approval, in the run that spent it, for the call it was minted for', () => {
    h.pause('r1', 'q1');
    h.claim('r2', { resumes: 'q1', turnId: 't-r1' });
    const gated = (callId = 'call-q1', attempt = 1, runId = 'r2') => h.dispatch(runId, callId, attempt, { requestId: 'q1' });
    expect(gated()).toBe('not-approved');
    h.spend('q1', 'r2');
    expect(gated('other-call')).toBe('not-minted');
    expect(gated()).toBe('stands');
    expect(h.effects[0]).toMatchObject({ kind: 'call-dispatched', requestId: 'q1' });
    h.finish('r2', 'call-q1');
    h.complete('r2');
    h.claim('r3');
    expect(gated('call-q1', 1, 'r3')).toBe('not-minted');
  });

  it('N22 stands for no declined request', () => {
    h.mint('r1', 'q1', { grant: 'g' });
    h.spend('q1', 'r1', 'declined');
    expect(h.dispatch('r1', 'call-q1', 1, { requestId: 'q1' })).toBe('not-approved');
  });

  it('N8 is void past spend-by, given or not `notAfter`', () => {
    h.mint('r1', 'q1', { grant: 'g', spendBy: h.timestamp + 10 });
    h.spend('q1', 'r1');
    h.timestamp += 11;
    expect(h.dispatch('r1', 'call-q1', 1, { requestId: 'q1' })).toBe('expired');
    expect(h.dispatch('r1', 'call-q1', 1, { requestId: 'q1', notAfter: h.timestamp + 99 })).toBe('expired');
  });

  it('L21 holds at most 384 calls in a run', () => {
    for (let i = 0; i < MAX_CALLS; i++) h.dispatch('r1', `c${i}`);
    expect(h.dispatch('r1', 'one-more')).toBe('bound');
  });
});

describe('the end of a call', () => {
  it('L1 leaves what was dispatched and not finished as unknown, and it is never dispatched again', () => {
    h.dispatch('r1', 'c1');
    h.dispatch('r1', 'c2');
    h.finish('r1', 'c2');
    h.pass(30_001).lapse('r1');
    expect(h.effectsOf('call-unknown')).toEqual([{ kind: 'call-unknown', callId: 'c1', attempt: 1 }]);
    h.claim('r2');
    expect(h.dispatch('r2', 'c1')).toBe('open');
    expect(h.dispatch('r2', 'c1', 2)).toBe('open');
  });

  it('N22 resolves an unknown call by its late `finished`, once', () => {
    h.dispatch('r1', 'c1');
    h.complete('r1');
    expect(h.finish('r1', 'c1', 2)).toBe('not-open');
    expect(h.finish('r1', 'c1', 1, 'error')).toBe('stands');
    expect(h.effects).toEqual([{ kind: 'call-resolved', callId: 'c1', attempt: 1, verdict: 'error', by: 'host' }]);
    expect(h.finish('r1', 'c1')).toBe('not-open');
    expect(h.reconcile('c1')).toBe('not-open');
  });

  const nothing = (): void => undefined;
  it.each<[string, () => unknown, () => unknown]>([
    ['an unknown call', () => h.complete('r1'), nothing],
    ['an open one', nothing, nothing],
    ['an open one whose run then ends', nothing, () => h.complete('r1')],
  ])('N22 takes a person’s word on %s, and keeps the host’s word after it as evidence', (_, before, after) => {
    h.dispatch('r1', 'c1');
    before();
    expect(h.reconcile('c1', 1, 'did-not-run')).toBe('stands');
    expect(h.effects).toEqual([{ kind: 'call-resolved', callId: 'c1', attempt: 1, verdict: 'did-not-run', by: 'person' }]);
    after();
    expect(h.effectsOf('call-unknown')).toEqual([]);
    expect(h.reconcile('c1')).toBe('not-open');
    expect(h.finish('r1', 'c1')).toBe('not-open');
    expect(h.effects).toEqual([{ kind: 'call-conflict', callId: 'c1', attempt: 1, outcome: 'ok' }]);
    expect(h.dispatch('r1', 'c1', 2)).toMatch(/open|no-run/);
  });

  it('N22 keeps the newest 256 unknown calls, giving up reconciled ones first', () => {
    h.dispatch('r1', 'c-old');
    h.dispatch('r1', 'c-reconciled');
    h.reconcile('c-reconciled');
    for (let i = 0; i < MAX_UNRESOLVED - 1; i++) h.dispatch('r1', `c${i}`);
    h.complete('r1');
    expect(h.state.unresolved).toHaveLength(MAX_UNRESOLVED);
    expect(h.finish('r1', 'c-old')).toBe('stands');
    h.claim('r2');
    h.dispatch('r2', 'd1');
    h.dispatch('r2', 'd2');
    h.complete('r2');
    expect(h.finish('r1', 'c0')).toBe('not-open');
    expect(h.finish('r2', 'd2')).toBe('stands');
  });
});
