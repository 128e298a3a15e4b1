import { MAX_KEYS, MAX_REQUESTS, MAX_UNRESOLVED, MAX_VOTES } from './limits.js';
import { FoldVersionError, packSession, unpackSession } from './pack.js';
import { emptySession } from './state.js';
import { History } from './testing/history.js';

it('L9 writes an idle session in a few bytes and reads it back', () => {
  const h = new History();
  h.claim('r1', { signer: 'alice' });
  h.complete('r1');
  expect(packSession(h.state)).toBe('{"v":1,"owner":"alice","lastRunId":"r1"}');
  expect(unpackSession(packSession(h.state))).toEqual(h.state);
  expect(unpackSession(packSession(emptySession))).toEqual(emptySession);
});

it('L8 refuses the state of another fold version by name', () => {
  expect(() => unpackSession('{"v":2}')).toThrow(FoldVersionError);
});

it('L9 bounds a session whatever is written to it, at full-sized ids', () => {
  const id = (letter: string, n: number) => `${letter}${n}`.padStart(36, '0');
  const ref = (letter: string, n: number) => `${letter}${n}`.padStart(64, '0');
  const idempotency = (n: number) => ({ key: ref('k', n), body: ref('b', n) });
  const h = new History();
  for (let n = 0; n < 600; n++) {
    h.claim(id('r', n), { turnId: id('t', n), idempotency: idempotency(n) });
    h.dispatch(id('r', n), id('c', n));
    h.complete(id('r', n));
  }
  h.claim(id('r', 600), { turnId: id('t', 600), idempotency: idempotency(600) });
  h.pause(id('r', 600), ref('q', 0), { callId: id('c', 600), quorum: 64, decideBy: 9e12, spendBy: 9e12 });
  for (let n = 0; n < 100; n++) h.vote(ref('q', 0), ref('p', n));
  h.claim(id('r', 601), { resumes: ref('q', 0), turnId: id('t', 600), idempotency: idempotency(601) });
  for (let n = 1; n < 600; n++) {
    h.mint(id('r', 601), ref('q', n), { callId: id('c', 600 + n), grant: id('g', n), decideBy: 9e12, spendBy: 9e12 });
    h.spend(ref('q', n), id('r', 601));
    h.dispatch(id('r', 601), id('c', 600 + n), 1, { requestId: ref('q', n) });
  }
  const { state } = h;
  expect(state.unresolved).toHaveLength(MAX_UNRESOLVED);
  expect(state.keys).toHaveLength(MAX_KEYS);
  expect(state.paused?.votes).toHaveLength(MAX_VOTES);
  expect(state.run?.requests).toHaveLength(MAX_REQUESTS);
  expect(state.run?.calls).toHaveLength(MAX_REQUESTS - 1);
  expect(packSession(state).length).toBeLessThan(256 * 1024);
  expect(unpackSession(packSession(state))).toEqual(state);
});
