import { History } from './testing/history.js';

let h: History;
beforeEach(() => {
  h = new History();
  h.claim('r1');
});

describe('a record nobody can read', () => {
  it.each([
    'turn.claimed',
    'turn.stepped',
    'turn.paused',
    'turn.completed',
    'turn.failed',
    'turn.lapsed',
    'consent.minted',
    'tool-call.dispatched',
    undefined,
  ])('L8 blocks its key until it is repaired: %s', (type) => {
    const offset = h.offset;
    expect(h.addUnreadable(type, 's')).toBe('unreadable');
    expect(h.effects).toEqual([{ kind: 'key-blocked', position: { partition: 0, offset } }]);
    expect(h.step('r1')).toBe('blocked');
    expect(h.repair(offset + 1)).toBe('not-blocked');
    expect(h.repair(offset)).toBe('stands');
    expect(h.effects).toEqual([{ kind: 'key-unblocked', position: { partition: 0, offset } }]);
    expect(h.step('r1')).toBe('stands');
    expect(h.repair(offset)).toBe('not-blocked');
  });

  it.each(['tool-call.finished', 'tool-call.reconciled', 'turn.renewed', 'consent.voted', 'session.repaired'])(
    'L8 is void and blocks nothing: %s',
    (type) => {
      const { state } = h;
      expect(h.addUnreadable(type, 's')).toBe('unreadable');
      expect(h.state).toBe(state);
    },
  );

  it('L8 ignores a type this release does not know, and the types no claim depends on', () => {
    h.mint('r1', 'q1');
    const { state } = h;
    for (const type of ['turn.invented', 'gate.observed', 'tool-call.attempted', 'session.erased'])
      expect(h.addUnreadable(type, 's')).toBe('ignored');
    expect(h.state).toBe(state);
    expect(h.effects).toEqual([]);
  });

  it('L8 counts a known spend as spent, unknown: nothing runs on it', () => {
    h.pause('r1', 'q1');
    h.claim('r2', { resumes: 'q1', turnId: 't-r1' });
    expect(h.addUnreadable('consent.spent', 'q1')).toBe('unreadable');
    expect(h.effects).toEqual([{ kind: 'request-settled', requestId: 'q1', verdict: 'unknown', by: 'spend' }]);
    expect(h.spend('q1', 'r2')).toBe('not-pending');
    expect(h.dispatch('r2', 'call-q1', 1, { requestId: 'q1' })).toBe('not-approved');
    expect(h.state.blockedBy).toBeUndefined();
  });

  it('L8 lets a spend without a subject spend the paused request, and one of another request nothing', () => {
    h.pause('r1', 'q1');
    h.addUnreadable('consent.spent', 'q2');
    expect(h.effects).toEqual([]);
    h.addUnreadable('consent.spent');
    expect(h.effects).toEqual([
      { kind: 'request-settled', requestId: 'q1', verdict: 'unknown', by: 'spend' },
      { kind: 'turn-closed', turnId: 't-r1', turn: 'closed' },
    ]);
    expect(h.addUnreadable('consent.spent')).toBe('unreadable');
    expect(h.effects).toEqual([]);
  });

  it('L8 closes the session by a close it cannot read', () => {
    expect(h.addUnreadable('session.closed', 's')).toBe('stands');
    expect(h.state.isClosed).toBe(true);
  });

  it('N9 leaves no pending request when the second half of a pause cannot be read', () => {
    h.mint('r1', 'q1');
    const { offset } = h;
    h.addUnreadable('turn.paused', 't-r1');
    expect(h.effects.map((e) => e.kind)).toEqual(['request-void', 'key-blocked']);
    h.repair(offset);
    expect(h.state.paused).toBeUndefined();
    expect(h.fail('r1')).toBe('stands');
  });
});

describe('a blocked key', () => {
  beforeEach(() => {
    h.dispatch('r1', 'c1');
    h.mint('r1', 'q1', { grant: 'g' });
    h.claim('r2', { wait: true });
    h.addUnreadable('turn.stepped', 't-r1');
  });

  it('L8 voids every record on it but those that let nothing new run', () => {
    const voids = [
      h.claim('r3'), h.step('r1'), h.complete('r1'), h.fail('r1'), h.lapse('r1'), h.pause('r1', 'q2'), h.spend('q1', 'r1'),
      h.dispatch('r1', 'c2'), h.reconcile('c1'), h.addUnreadable('consent.spent', 'q1'), h.addUnreadable('turn.failed'), h.addUnreadable(),
    ]; // prettier-ignore
    expect(new Set(voids)).toEqual(new Set(['blocked']));
    expect([h.finish('r1', 'c1'), h.renew('r1'), h.renew('r2'), h.close()]).toEqual(['stands', 'stands', 'stands', 'stands']);
  });

  it('L8 counts votes', () => {
    h = new History();
    h.claim('r1');
    h.pause('r1', 'q1');
    h.addUnreadable();
    expect(h.vote('q1', 'a')).toBe('stands');
  });

  it('L8 lets no run come to stand from the queue', () => {
    h.pass(40_000);
    h.renew('r2');
    expect(h.state.run?.runId).toBe('r1');
    expect(h.state.waiting).toHaveLength(1);
  });

  it('L8 is freed by the end of its session', () => {
    expect(h.close()).toBe('stands');
    expect(h.effectsOf('key-unblocked')).toHaveLength(1);
    expect(h.claim('r3')).toBe('closed');
    expect(h.addUnreadable('turn.claimed')).toBe('unreadable');
    expect(h.state.blockedBy).toBeUndefined();
  });
});
