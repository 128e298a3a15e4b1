import type { Scope } from './call-context.js';
import { hostToolCall } from './host-tool-call.js';
import { ToolSessionRefusedError } from './refusal.js';
import { callOf, tierUnderTest } from './testing/tier-under-test.js';

const { signal } = new AbortController();

function hostTool(limits = {}) {
  const under = tierUnderTest(limits);
  const cleanups: string[] = [];
  const begin = (context = callOf()) => hostToolCall({ tier: under.tier, server: 'host', tool: 'shell', context, signal });
  const note = (name: string) => (reason: string) => void cleanups.push(`${name} ${reason}`);
  return { ...under, begin, note, cleanups };
}

it('T6 gives a tool in the host whose call it is, the signal and a way to be cleaned up after', () => {
  const context = callOf();
  const { call } = hostTool().begin(context);
  const { sessionId, runId, callId, principal } = context;
  expect(call).toEqual({ sessionId, runId, callId, principal, signal, onTeardown: expect.any(Function) });
  const nobody = hostTool().begin(callOf({ sessionId: undefined, principal: undefined })).call;
  expect(nobody).not.toHaveProperty('sessionId');
  expect(nobody).not.toHaveProperty('principal');
});

it('T11 registers for the run where the tool names no scope, and for its scope where it does', async () => {
  const { begin, note, cleanups, tier } = hostTool();
  const context = callOf();
  const { call, settle } = begin(context);
  expect(call.onTeardown(note('run'))).toMatchObject({ outcome: 'started', calls: 1 });
  call.onTeardown(note('call'), { scope: 'call' });
  call.onTeardown(note('session'), { scope: 'session' });
  call.onTeardown(note('pool'), { scope: 'shutdown', key: 'pool' });
  expect(settle()).toBe(1);
  tier.fire({ kind: 'turn-end', turnId: context.turnId });
  tier.fire({ kind: 'session-end', sessionRef: context.sessionRef!, reason: 'session-end' });
  await tier.close();
  expect(cleanups).toEqual(['call call-end', 'run run-end', 'session session-end', 'pool shutdown']);
});

it('S2 and T11 keep the first cleanup of a key, and count a repeat as a call of it', async () => {
  const { begin, note, cleanups, tier } = hostTool();
  const first = begin().call.onTeardown(note('first'), { scope: 'session' });
  const second = begin().call.onTeardown(note('second'), { scope: 'session' });
  expect([first, second]).toEqual([
    { outcome: 'started', keyHash: first.keyHash, calls: 1 },
    { outcome: 'reused', keyHash: first.keyHash, calls: 2 },
  ]);
  await tier.close();
  expect(cleanups).toEqual(['first shutdown']);
});

it('T11 keeps registrations of one tool apart by their keys, and those of two people always', () => {
  const { begin, note, tier } = hostTool();
  for (const person of ['ada', 'bob']) {
    for (const key of ['one', 'two', 'one']) begin(callOf({ person })).call.onTeardown(note(key), { scope: 'session', key });
  }
  expect(tier.live).toBe(4);
});

it.each<[string, Scope, string]>([
  ['a scope that nobody knows', 'forever' as Scope, 'ERR_TOOL_SESSION_SCOPE'],
  ['the session of a call that has none', 'session', 'ERR_TOOL_SESSION_KEY'],
  ['shutdown without a key', 'shutdown', 'ERR_TOOL_SESSION_KEY'],
])('T6 and T11 refuse %s by name inside the tool', (_, scope, code) => {
  const { begin, note, tier } = hostTool();
  const { call } = begin(callOf({ sessionId: undefined }));
  expect(() => call.onTeardown(note('never'), { scope })).toThrow(expect.objectContaining({ name: 'ToolSessionRefusedError', code }));
  expect(tier.live).toBe(0);
});

it('T11 never throws at whoever registers, whatever is given', () => {
  const { tier, note, troubles } = hostTool();
  const ask = { name: 'shell', server: 'host', tool: 'shell', context: callOf(), cleanup: note('never') };
  expect(tier.register({ ...ask, key: 7 as unknown as string })).toMatchObject({
    outcome: 'refused',
    code: 'ERR_TOOL_SESSION_KEY',
    calls: 0,
  });
  expect(tier.register({ ...ask, context: {} as never })).toMatchObject({ outcome: 'refused' });
  expect(troubles).toMatchObject([{ error: expect.any(TypeError) }]);
});

it('T11 starts a new one when a tool registers again during its own cleanup', async () => {
  const { begin, tier, told, cleanups, note } = hostTool();
  const context = callOf();
  const again = begin(context).call;
  const { call } = begin(context);
  call.onTeardown(() => {
    expect(again.onTeardown(note('second'))).toMatchObject({ outcome: 'started', calls: 1 });
    return note('first')('run-end');
  });
  tier.fire({ kind: 'turn-end', turnId: context.turnId });
  await tier.settled();
  expect([cleanups, tier.live]).toEqual([['first run-end'], 1]);
  expect(told()).toEqual(['started', 'started', 'closed run-end']);
});

it('T30 takes a registration for in use until the call that made or touched it settles', () => {
  const { begin, note, clock, tier } = hostTool();
  const [one, other] = [begin(), begin()];
  one.call.onTeardown(note('session'), { scope: 'session' });
  other.call.onTeardown(note('session'), { scope: 'session' });
  other.call.onTeardown(note('session'), { scope: 'session' });
  one.settle();
  clock.pass(2_000_000);
  expect(tier.live).toBe(1);
  other.settle();
  clock.pass(900_000);
  expect(tier.live).toBe(0);
});

it('T6 refuses what a tool would register after its call is over, since nobody would close it', () => {
  const { begin, note, tier } = hostTool();
  const { call, settle } = begin();
  settle();
  expect(() => call.onTeardown(note('late'))).toThrow(ToolSessionRefusedError);
  expect(tier.live).toBe(0);
});

it('S5 lets no cleanup that throws at once spoil a registration that evicts it', async () => {
  const { begin, tier, told } = hostTool({ live: 1 });
  const first = begin();
  first.call.onTeardown(() => {
    throw new RangeError('at once');
  });
  first.settle();
  begin(callOf({ person: 'bob' })).call.onTeardown(() => {});
  await tier.settled();
  expect(told()).toEqual(['started', 'started', 'close-failed evicted']);
});
