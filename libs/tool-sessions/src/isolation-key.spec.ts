import fc from 'fast-check';
import type { CallContext } from './call-context.js';
import { isolationKey, keyDigest, registrationKey } from './isolation-key.js';

const ids = { turnId: 'turn', runId: 'run', callId: 'call' };
const inSession = (context: Partial<CallContext>) => isolationKey('session', { ...ids, sessionId: 's1', ...context })!;

it.each([
  [{ tenant: 'acme/p=bob', principal: 'x' }, 't=acme%2Fp=bob/p=x/s=s1', 'd68da5251169'],
  [{ tenant: 'acme', principal: 'bob/p=x' }, 't=acme/p=bob%2Fp=x/s=s1', '5616ab30f11f'],
  [{ tenant: '_' }, 't=%5F/p=_/s=s1', '74b7951e631f'],
  [{}, 't=_/p=_/s=s1', '9039a6ce74ed'],
  [{ tenant: 'acme', principal: 'ada' }, 't=acme/p=ada/s=s1', '830643297658'],
])('T1 and T3 make of %j the key %s and its digest %s', (context, key, digest) => {
  expect(inSession(context)).toBe(key);
  expect(keyDigest(key)).toBe(digest);
});

it('T1 escapes the percent sign first, keeps everything else byte for byte, and takes an empty field for an absent one', () => {
  expect(inSession({ tenant: '%2F', principal: '' })).toBe('t=%252F/p=_/s=s1');
  expect(inSession({ tenant: '%5F', principal: 'a=b é\n😀' })).toBe('t=%255F/p=a=b é\n😀/s=s1');
  expect(inSession({ principal: 'x'.repeat(100_000) })).toHaveLength('t=_/p=/s=s1'.length + 100_000);
});

/** Names made of what the encoding treats in a special way. */
const tricky = fc
  .array(fc.constantFrom('%', '/', '_', '=', 's', 't', 'p', '25', '2F', '5F', 'é'), { minLength: 1, maxLength: 6 })
  .map((a) => a.join(''));

it('T1 gives two callers one key only if tenant, principal and session are the same', () => {
  const caller = fc.record({
    tenant: fc.option(tricky, { nil: undefined }),
    principal: fc.option(tricky, { nil: undefined }),
    sessionId: tricky,
  });
  fc.assert(
    fc.property(caller, caller, (one, other) => {
      expect(inSession(one) === inSession(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 2_000 },
  );
});

it.each([[7], [null], [{ secret: 'hush' }], [['hush']]])('T1 refuses %j as a field, and does not say what it was', (value) => {
  const broken = { ...ids, sessionId: 's1', tenant: value as unknown as string };
  expect(() => isolationKey('session', broken)).toThrow(new TypeError('A field of an isolation key must be a string.'));
});

it('T2 puts tenant and principal in front of what a caller may name, and keys a call by the host’s id alone', () => {
  const context = { ...ids, tenant: 'acme', principal: 'https://issuer|ada', sessionId: 's1' };
  expect(isolationKey('session', context)).toBe('t=acme/p=https:%2F%2Fissuer|ada/s=s1');
  expect(isolationKey('run', context)).toBe('t=acme/p=https:%2F%2Fissuer|ada/r=run');
  expect(isolationKey('call', context)).toBe('c=call');
});

it('T4 has no key for a scope that this call cannot have, and takes no other scope instead', () => {
  expect(isolationKey('session', ids)).toBeUndefined();
  expect(isolationKey('session', { ...ids, sessionId: '' })).toBeUndefined();
  expect(isolationKey('run', { ...ids, runId: '' })).toBeUndefined();
  expect(isolationKey('shutdown', { ...ids, sessionId: 's1' })).toBeUndefined();
});

it('T2 and T11 keep a key that a tool gives below the key of its scope, so that two people never share one', () => {
  const ada = { ...ids, principal: 'ada', sessionId: 's1' };
  const bob = { ...ada, principal: 'bob' };
  expect(registrationKey('session', ada, 'browser/1')).toBe('t=_/p=ada/s=s1/k=browser%2F1');
  expect(registrationKey('shutdown', ada, 'browser')).toBe('t=_/p=ada/k=browser');
  expect(registrationKey('shutdown', bob, 'browser')).not.toBe(registrationKey('shutdown', ada, 'browser'));
  expect(registrationKey('session', ids, 'browser')).toBeUndefined();
  expect(registrationKey('run', ada)).toBe(isolationKey('run', ada));
});
