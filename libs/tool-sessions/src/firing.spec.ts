import { randomUUID } from 'node:crypto';
import type { CallContext, Scope } from './call-context.js';
import type { Firing } from './firing.js';
import { callOf, sessionRefOf, tierUnderTest, userRefOf } from './testing/tier-under-test.js';

const turnId = randomUUID();
/** Ada's turn in s1, paused and resumed: two runs. */
const [paused, resumed] = [callOf({ turnId }), callOf({ turnId })];
const elsewhere = callOf({ session: 's2' });
const bobs = callOf({ person: 'bob', session: 's3' });
const sessionless = callOf({ sessionId: undefined, sessionRef: undefined });

const opened: readonly (readonly [string, CallContext, Scope])[] = [
  ['call of the paused half', paused, 'call'],
  ['run of the paused half', paused, 'run'],
  ['session', paused, 'session'],
  ['call of the resumed half', resumed, 'call'],
  ['run of the resumed half', resumed, 'run'],
  ['her other session', elsewhere, 'session'],
  ['run in her other session', elsewhere, 'run'],
  ['bob’s session', bobs, 'session'],
  ['run without a session', sessionless, 'run'],
];
const kept = 'kept until shutdown';
const all = [...opened.map(([name]) => name), kept];

const ofTurn = ['call of the paused half', 'run of the paused half', 'call of the resumed half', 'run of the resumed half'];
const matrix: readonly (readonly [string, Firing, string, readonly string[]])[] = [
  ['call ends', { kind: 'call-end', callId: resumed.callId }, 'call-end', ['call of the resumed half']],
  ['turn ends', { kind: 'turn-end', turnId }, 'run-end', ofTurn],
  ['turn without a session ends', { kind: 'turn-end', turnId: sessionless.turnId }, 'run-end', ['run without a session']],
  ['paused request ends unresumed', { kind: 'pause-ended', turnId }, 'run-end', ofTurn],
  [
    'session is closed',
    { kind: 'session-end', sessionRef: sessionRefOf('s1'), reason: 'session-end' },
    'session-end',
    [...ofTurn, 'session'],
  ],
  [
    'session’s owner is revoked',
    { kind: 'session-end', sessionRef: sessionRefOf('s1'), reason: 'revoked' },
    'revoked',
    [...ofTurn, 'session'],
  ],
  ['lane is evicted', { kind: 'session-end', sessionRef: sessionRefOf('s1'), reason: 'evicted' }, 'evicted', ['session']],
  ['person is revoked', { kind: 'user-revoked', userRef: userRefOf('bob') }, 'revoked', ['bob’s session']],
  ['host shuts down', { kind: 'shutdown' }, 'shutdown', all],
];

async function everything() {
  const under = tierUnderTest();
  const nameOf = new Map<string, string>();
  for (const [name, context, scope] of opened) nameOf.set(await under.use(context, { scope }), name);
  const stops: string[] = [];
  under.tier.register({
    name: 'pool',
    server: 'host',
    tool: 'pool',
    scope: 'shutdown',
    key: 'pool',
    context: callOf(),
    cleanup: (reason) => void stops.push(`${kept}: ${reason}`),
  });
  const ended = () => [...under.stops.map((stop) => stop.replace(/^\w+/, (resource) => `${nameOf.get(resource)}:`)), ...stops];
  return { ...under, ended };
}

it.each(matrix)('T10 and T20 end, when a %s, what the matrix says and nothing else', async (_, firing, reason, names) => {
  const { tier, ended } = await everything();
  expect(tier.fire(firing)).toBe(names.length);
  await tier.settled();
  expect(ended().sort()).toEqual(names.map((name) => `${name}: ${reason}`).sort());
  expect(tier.live).toBe(all.length - names.length);
});

it('T20 keeps everything while a turn is paused, and knows what its first run opened when its last one ends', async () => {
  const { tier, use } = tierUnderTest();
  await use(paused, { scope: 'run' });
  expect(await use(resumed, { scope: 'run' })).toBe('r2');
  expect(tier.fire({ kind: 'turn-end', turnId: elsewhere.turnId })).toBe(0);
  expect(tier.fire({ kind: 'turn-end', turnId })).toBe(2);
});

it('T10 lets overlapping firings share nothing: the later one answers 0 at once, though nothing is closed yet', async () => {
  const { tier, use, told } = tierUnderTest();
  await use(paused, { scope: 'run', stop: () => new Promise(() => {}) });
  expect(tier.fire({ kind: 'turn-end', turnId })).toBe(1);
  expect(tier.fire({ kind: 'session-end', sessionRef: sessionRefOf('s1'), reason: 'session-end' })).toBe(0);
  expect(tier.fire({ kind: 'shutdown' })).toBe(0);
  expect(told()).toEqual(['started']);
});

it('S1 runs each cleanup once, whatever fires while it runs', async () => {
  const { tier, use, stops, told } = tierUnderTest();
  const again = async () => void tier.fire({ kind: 'shutdown' });
  await use(paused, { stop: again });
  await use(elsewhere, { stop: again });
  tier.drop('unknown', 'upstream-gone');
  await tier.close();
  await tier.close();
  expect(stops).toEqual(['r2 shutdown', 'r1 shutdown']);
  expect(told()).toEqual(['started', 'started', 'closed shutdown', 'closed shutdown']);
});

it('S3 starts cleanups in reverse order of registration and lets them settle together', async () => {
  const { tier, use, stops, told } = tierUnderTest();
  const release: (() => void)[] = [];
  const stop = () => new Promise<void>((resolve) => release.push(resolve));
  for (const scope of ['run', 'call'] as const) await use(paused, { scope, stop });
  for (const scope of ['run', 'call'] as const) await use(resumed, { scope, stop });
  tier.fire({ kind: 'turn-end', turnId });
  const settled = tier.settled();
  await Promise.resolve();
  expect(stops.map((stopped) => stopped.split(' ')[0])).toEqual(['r4', 'r3', 'r2', 'r1']);
  expect(told().filter((fact) => fact !== 'started')).toEqual([]);
  for (const done of release) done();
  await settled;
  expect(told().filter((fact) => fact === 'closed run-end')).toHaveLength(4);
});
