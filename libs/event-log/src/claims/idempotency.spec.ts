import { rememberedTurn } from './claim.js';
import { KEY_MS, MAX_KEYS } from './limits.js';
import { History } from './testing/history.js';

let h: History;
beforeEach(() => (h = new History()));
const withKey = (key = 'k') => ({ idempotency: { key, body: `body-${key}` } });
/** How a later claim under the key is judged on a session that has become free. */
const again = (key = 'k') => h.claim('again', withKey(key));

describe('idempotency keys', () => {
  it('D18 voids a claim whose key is remembered, and says which turn it was', () => {
    h.claim('r1', withKey());
    h.complete('r1');
    expect(again()).toBe('key');
    expect(rememberedTurn(h.state, 'k', h.timestamp)).toMatchObject({ turnId: 't-r1', body: 'body-k' });
    expect(h.claim('r2', withKey('other'))).toBe('stands');
  });

  it('D18 remembers a key from the moment its claim stands or waits', () => {
    h.claim('r1', withKey('k1'));
    h.claim('r2', { wait: true, ...withKey('k2') });
    expect(h.claim('r3', { wait: true, ...withKey('k1') })).toBe('key');
    expect(h.claim('r3', { wait: true, ...withKey('k2') })).toBe('key');
  });

  it('D18 remembers the key of a run that did something, however it ended', () => {
    const ends: (() => void)[] = [
      () => h.complete('r1'),
      () => (h.step('r1'), h.fail('r1')),
      () => (h.dispatch('r1', 'c1'), h.pass(40_000).lapse('r1')),
      () => (h.pause('r1', 'q1'), h.spend('q1', 'x', 'closed')),
      () => (h.mint('r1', 'q1', { grant: 'g' }), h.fail('r1')),
    ];
    for (const end of ends) {
      h = new History();
      h.claim('r1', withKey());
      end();
      expect(again()).toBe('key');
    }
  });

  it('D18 forgets the key of a run that never did anything', () => {
    const ends: (() => void)[] = [
      () => h.fail('r1', 'HostRestarted'),
      () => h.pass(40_000).lapse('r1'),
      () => (h.renew('r1'), h.fail('r1')),
      () => (h.step('r1'), h.fail('r1', 'GivenUp')),
    ];
    for (const end of ends) {
      h = new History();
      h.claim('r1', withKey());
      end();
      expect(again()).toBe('stands');
    }
  });

  it('D18 forgets the key of a waiting run that left the queue', () => {
    const leaves: (() => void)[] = [
      () => h.fail('r2'),
      () => h.pass(40_000).renew('r1'),
      () => (h.pause('r1', 'q1'), h.spend('q1', 'x', 'closed')),
    ];
    for (const leave of leaves) {
      h = new History();
      h.claim('r1');
      h.claim('r2', { wait: true, ...withKey() });
      leave();
      h.complete('r1');
      expect(again()).toBe('stands');
    }
  });

  it('D18 keeps the key of a waiting run that came to stand from the queue', () => {
    h.claim('r1');
    h.claim('r2', { wait: true, ...withKey() });
    h.complete('r1');
    h.complete('r2');
    expect(again()).toBe('key');
  });

  it('D18 forgets the key of a resume that ended with its request still pending, so that the decision can be retried', () => {
    h.claim('r1');
    h.pause('r1', 'q1');
    const resume = { resumes: 'q1', turnId: 't-r1', ...withKey() };
    h.claim('r2', resume);
    expect(h.claim('r3', resume)).toBe('key');
    h.step('r2');
    h.fail('r2');
    expect(h.claim('r3', resume)).toBe('stands');
    h.spend('q1', 'r3');
    h.fail('r3');
    expect(again()).toBe('key');
  });

  it('D18 and L11 judge the 24 hours by the log timestamps of the two claims, not by T', () => {
    h.claim('r1', withKey());
    const claimed = h.timestamp;
    h.complete('r1');
    h.timestamp = claimed + KEY_MS - 1;
    expect(again()).toBe('key');
    h.timestamp = claimed + KEY_MS;
    expect(again()).toBe('stands');
    expect(h.T).toBe(0);
  });

  it('D18 remembers the newest 256, and that of a run still standing beyond them', () => {
    h.claim('first', withKey('first'));
    h.complete('first');
    for (let i = 0; i < MAX_KEYS; i++) {
      expect(again('first')).toBe('key');
      h.claim(`r${i}`, withKey(`k${i}`));
      h.complete(`r${i}`);
    }
    expect(h.state.keys).toHaveLength(MAX_KEYS);
    expect(h.claim('r-last', withKey('k0'))).toBe('key');
    expect(again('first')).toBe('stands');
    expect(h.claim('other', withKey('first'))).toBe('key');
  });

  it('D18 drops keys from the state once no clock could ask for them any more', () => {
    h.claim('r1', withKey('k1'));
    h.complete('r1');
    h.pass(2 * KEY_MS).claim('r2', withKey('k2'));
    h.complete('r2');
    expect(h.state.keys.map((k) => k.key)).toEqual(['k2']);
  });
});
