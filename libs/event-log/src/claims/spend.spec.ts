import { History } from './testing/history.js';

let h: History;
beforeEach(() => {
  h = new History();
  h.claim('r1');
});
const resume = (runId = 'r2') => h.claim(runId, { resumes: 'q1', turnId: 't-r1' });

describe('consent.spent', () => {
  it.each(['approved', 'declined'] as const)('N20 %s stands only for the standing run that resumes the request', (verdict) => {
    h.pause('r1', 'q1');
    expect(h.spend('q1', 'r1', verdict)).toBe('no-run');
    resume();
    expect(h.spend('q1', 'r9', verdict)).toBe('no-run');
    expect(h.spend('q9', 'r2', verdict)).toBe('not-pending');
    expect(h.spend('q1', 'r2', verdict)).toBe('stands');
    expect(h.effects).toContainEqual({ kind: 'request-settled', requestId: 'q1', verdict, claimId: 'r2', by: 'spend' });
    expect(h.state.paused).toBeUndefined();
    expect(h.spend('q1', 'r2', verdict)).toBe('not-pending');
  });

  it('N31 closes a pending request by anybody, once and for ever', () => {
    h.pause('r1', 'q1');
    expect(h.spend('q1', 'x', 'closed')).toBe('stands');
    expect(h.effects).toEqual([
      { kind: 'request-settled', requestId: 'q1', verdict: 'closed', claimId: 'x', by: 'spend' },
      { kind: 'turn-closed', turnId: 't-r1', turn: 'closed' },
    ]);
    expect(h.spend('q1', 'y', 'closed')).toBe('not-pending');
    expect(resume()).toBe('not-paused');
    expect(h.claim('r3')).toBe('stands');
  });

  it('N31 and N12 let a resume go on whose request was closed under it', () => {
    h.pause('r1', 'q1');
    resume();
    expect(h.spend('q1', 'x', 'closed')).toBe('stands');
    expect(h.effectsOf('turn-closed')).toEqual([]);
    expect(h.spend('q1', 'r2')).toBe('not-pending');
    expect(h.dispatch('r2', 'call-q1', 1, { requestId: 'q1' })).toBe('not-approved');
    expect(h.complete('r2')).toBe('stands');
    expect(h.effectsOf('run-ended')).toMatchObject([{ turn: 'completed' }]);
  });

  it.each(['decideBy', 'spendBy'] as const)('N8 and L11 judge %s by the log timestamp of the spend, not by T', (date) => {
    h.pause('r1', 'q1', { [date]: h.timestamp + 1_000 });
    resume();
    h.timestamp += 1_000;
    expect(h.spend('q1', 'x', 'expired')).toBe('not-expired');
    h.timestamp += 1;
    expect(h.spend('q1', 'r2')).toBe('expired');
    expect(h.spend('q1', 'r2', 'declined')).toBe('expired');
    expect(h.spend('q1', 'x', 'expired')).toBe('stands');
    expect(h.state.run?.runId).toBe('r2');
  });

  it('N8 approves at the very moment of a date', () => {
    h.pause('r1', 'q1', { decideBy: h.timestamp + 1_000 });
    resume();
    h.timestamp += 1_000;
    expect(h.spend('q1', 'r2')).toBe('stands');
  });

  it('N8 never expires a request without a date', () => {
    h.pause('r1', 'q1');
    expect(h.pass(1e12).spend('q1', 'x', 'expired')).toBe('not-expired');
  });

  it('N50 approves only with a quorum of approving votes', () => {
    h.pause('r1', 'q1', { quorum: 2 });
    h.vote('q1', 'a');
    resume();
    expect(h.spend('q1', 'r2')).toBe('quorum');
    h.vote('q1', 'a');
    expect(h.spend('q1', 'r2')).toBe('quorum');
    h.vote('q1', 'b');
    expect(h.spend('q1', 'r2')).toBe('stands');
  });

  it('N50 lets one disapproving vote stop an approval, and the decline stand', () => {
    h.pause('r1', 'q1', { quorum: 1 });
    h.vote('q1', 'a');
    h.vote('q1', 'b', false);
    resume();
    expect(h.spend('q1', 'r2')).toBe('veto');
    expect(h.spend('q1', 'r2', 'declined')).toBe('stands');
  });

  it('N52 approves no granted request that asks for a quorum: nobody can vote on it', () => {
    h.mint('r1', 'q1', { grant: 'g', quorum: 1 });
    expect(h.vote('q1', 'a')).toBe('not-pending');
    expect(h.spend('q1', 'r1')).toBe('quorum');
  });

  it('N20 gives a run no say over the request of another', () => {
    h.pause('r1', 'q1');
    resume();
    h.mint('r2', 'q2', { grant: 'g' });
    expect(h.spend('q2', 'r2')).toBe('stands');
    h.fail('r2');
    expect(h.state.paused?.requestId).toBe('q1');
    expect(h.spend('q1', 'r2')).toBe('no-run');
  });

  it('N22 says when an approved call never ran', () => {
    const notRun = { kind: 'spent-not-run', requestId: 'q1', callId: 'call-q1' };
    const dispatch = (attempt = 1) => h.dispatch('r2', 'call-q1', attempt, { requestId: 'q1' });
    const ends: [boolean, () => void][] = [
      [true, () => h.pass(30_001).lapse('r2')],
      [true, () => (dispatch(), h.finish('r2', 'call-q1', 1, 'not-sent'), h.fail('r2'))],
      [false, () => (dispatch(), h.finish('r2', 'call-q1'), h.complete('r2'))],
      [false, () => (dispatch(), h.fail('r2'))],
      [true, () => (dispatch(), h.fail('r2'), h.finish('r2', 'call-q1', 1, 'not-sent'))],
    ];
    for (const [isNotRun, end] of ends) {
      h = new History();
      h.claim('r1');
      h.pause('r1', 'q1');
      resume();
      h.spend('q1', 'r2');
      end();
      expect(h.effectsOf('spent-not-run')).toEqual(isNotRun ? [notRun] : []);
    }
  });
});
