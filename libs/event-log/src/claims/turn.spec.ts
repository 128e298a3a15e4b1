import { History } from './testing/history.js';

let h: History;
beforeEach(() => {
  h = new History();
  h.claim('r1');
});

describe('a standing run', () => {
  it.each([
    ['turn.renewed', () => h.renew('r1')],
    ['turn.stepped', () => h.step('r1')],
    ['consent.minted', () => h.mint('r1', 'q1', { grant: 'g' })],
    ['consent.spent with its claimId', () => h.spend('q0', 'r1')],
    ['tool-call.dispatched', () => h.dispatch('r1', 'c1')],
    ['tool-call.finished', () => h.finish('r1', 'c0')],
  ])('L1 has its lease refreshed by %s', (_, refresh) => {
    h.mint('r1', 'q0', { grant: 'g' });
    h.dispatch('r1', 'c0');
    h.pass(20_000);
    expect(refresh()).toBe('stands');
    expect(h.effectsOf('run-renewed')).toEqual([{ kind: 'run-renewed', runId: 'r1' }]);
    expect(h.pass(20_000).lapse('r1')).toBe('alive');
    expect(h.pass(10_001).lapse('r1')).toBe('stands');
  });

  it.each([
    ['a spend of another claim', () => h.spend('q0', 'x', 'closed')],
    ['a void dispatch', () => h.dispatch('r1', 'c0', 5)],
    ['a person’s word on a call', () => h.reconcile('c0')],
    ['a void claim', () => h.claim('r2')],
  ])('L1 does not have its lease refreshed by %s', (_, record) => {
    h.mint('r1', 'q0', { grant: 'g' });
    h.dispatch('r1', 'c0');
    h.pass(20_000);
    record();
    expect(h.pass(10_001).lapse('r1')).toBe('stands');
  });

  it('L1 is revived by a late renewal when nothing decided the lapse in between', () => {
    expect(h.pass(300_000).renew('r1')).toBe('stands');
    expect(h.pass(29_000).lapse('r1')).toBe('alive');
    expect(h.step('r1')).toBe('stands');
  });

  it('L1 is not revived once its lapse was decided', () => {
    expect(h.pass(30_001).lapse('r1')).toBe('stands');
    expect(h.effects).toEqual([{ kind: 'run-ended', runId: 'r1', turnId: 't-r1', how: 'lapsed', turn: 'abandoned' }]);
    for (const late of [h.renew('r1'), h.step('r1'), h.complete('r1'), h.fail('r1'), h.lapse('r1'), h.dispatch('r1', 'c1')])
      expect(late).toBe('no-run');
  });

  it.each([
    ['completed', () => h.complete('r1')],
    ['failed', () => h.fail('r1')],
  ] as const)('L5 ends by turn.%s once, even past its lease', (how, end) => {
    h.pass(300_000);
    expect(end()).toBe('stands');
    expect(h.effects).toEqual([{ kind: 'run-ended', runId: 'r1', turnId: 't-r1', how, turn: how }]);
    expect(end()).toBe('no-run');
  });

  it('L13 ends by `turn.failed` of a host that restarted, standing or waiting', () => {
    h.claim('r2', { wait: true });
    expect(h.fail('r2', 'HostRestarted')).toBe('stands');
    expect(h.fail('r1', 'HostRestarted')).toBe('stands');
    expect(h.state).toMatchObject({ run: undefined, waiting: [] });
  });
});

it.each([
  ['failed', () => h.fail('r2')],
  ['lapsed', () => h.pass(30_001).lapse('r2')],
] as const)('N20 leaves the turn paused when a resume %s unspent, and its request can still be settled', (how, end) => {
  h.pause('r1', 'q1');
  h.claim('r2', { resumes: 'q1', turnId: 't-r1' });
  expect(end()).toBe('stands');
  expect(h.effectsOf('run-ended')).toEqual([{ kind: 'run-ended', runId: 'r2', turnId: 't-r1', how, turn: 'paused' }]);
  expect(h.claim('r3', { resumes: 'q1', turnId: 't-r1' })).toBe('stands');
  expect(h.spend('q1', 'r3')).toBe('stands');
});
