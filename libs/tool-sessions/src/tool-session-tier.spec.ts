import { callOf, sessionRefOf, tierUnderTest } from './testing/tier-under-test.js';

it('S2 opens once for a key, and then counts the calls that join', async () => {
  const { open, facts, told, starts } = tierUnderTest();
  const answers = [];
  for (const tool of ['read_file', 'write_file', 'read_file']) answers.push(await open(callOf(), { tool }));
  expect(answers.map((answer) => answer.outcome !== 'refused' && [answer.outcome, answer.calls, answer.resource])).toEqual([
    ['started', 1, 'r1'],
    ['reused', 2, 'r1'],
    ['reused', 3, 'r1'],
  ]);
  expect(starts()).toBe(1);
  expect(told()).toEqual(['started', 'reused', 'reused']);
  expect(new Set(facts.map(({ data }) => `${data.toolSessionId} ${data.tool} ${data.keyHash}`)).size).toBe(1);
});

it('T2 never gives one person what another one opened, though both name the same session', async () => {
  const { use, tier } = tierUnderTest();
  const who = [callOf(), callOf({ person: 'bob' }), callOf({ tenant: 'umbrella' }), callOf({ session: 's2' }), callOf()];
  const resources = [];
  for (const context of who) resources.push(await use(context));
  expect(resources).toEqual(['r1', 'r2', 'r3', 'r4', 'r1']);
  expect(tier.live).toBe(4);
});

it('T5 opens one for each server under one key, whatever the names are', async () => {
  const { use, facts } = tierUnderTest();
  const resources = [];
  for (const server of ['files', 'mail', '5/files', 'files']) resources.push(await use(callOf(), { server }));
  expect(resources).toEqual(['r1', 'r2', 'r3', 'r1']);
  expect(new Set(facts.map(({ data }) => data.keyHash)).size).toBe(1);
});

it('T4 refuses by name a call that has no key in the scope of its tool, and starts nothing', async () => {
  const { open, starts, facts, tier } = tierUnderTest();
  const answers = [await open(callOf({ sessionId: '' })), await open(callOf(), { scope: 'shutdown' })];
  expect(answers).toEqual([
    { outcome: 'refused', code: 'ERR_TOOL_SESSION_KEY', sentence: expect.stringContaining('needs a session id') },
    { outcome: 'refused', code: 'ERR_TOOL_SESSION_KEY', sentence: expect.stringContaining('needs a key of its own') },
  ]);
  expect([starts(), facts.length, tier.live]).toEqual([0, 0, 0]);
});

describe('while a start is in flight', () => {
  function startsOnDemand() {
    const under = tierUnderTest();
    const waiting: { done(resource: string): void; fail(error: Error): void }[] = [];
    const stops: string[] = [];
    const open = (context = callOf()) =>
      under.tier.open({ name: 'files', server: 'files', tool: 'read_file', scope: 'session', context }, () => {
        return new Promise<{ resource: string; stop(reason: string): Promise<void> }>((resolve, reject) => {
          const stop = async (reason: string) => void stops.push(reason);
          waiting.push({ done: (resource) => resolve({ resource, stop }), fail: reject });
        });
      });
    return { ...under, open, waiting, stops };
  }

  it('T12 shares it among all first calls under one key', async () => {
    const { open, waiting, told } = startsOnDemand();
    const calls = [open(), open(), open()];
    expect(waiting).toHaveLength(1);
    waiting[0]!.done('one');
    const answers = await Promise.all(calls);
    expect(answers.map((a) => a.outcome !== 'refused' && [a.outcome, a.resource])).toEqual([
      ['started', 'one'],
      ['reused', 'one'],
      ['reused', 'one'],
    ]);
    expect(told()).toEqual(['started', 'reused', 'reused']);
  });

  it('T12 fails everybody who waited for a failed start by its error, and starts anew for the next one', async () => {
    const { open, waiting, facts, tier, clock } = startsOnDemand();
    const calls = [open(), open()];
    const refusal = new Error('connection refused');
    waiting[0]!.fail(refusal);
    expect(await Promise.allSettled(calls)).toEqual([
      { status: 'rejected', reason: refusal },
      { status: 'rejected', reason: refusal },
    ]);
    expect([tier.live, facts.length, clock.timers]).toEqual([0, 0, 0]);
    const next = open();
    waiting[1]!.done('two');
    expect(await next).toMatchObject({ outcome: 'started', resource: 'two', calls: 1 });
  });

  it('S1 and T12 stop what a firing met unopened as soon as it is open, and refuse whoever waited for it', async () => {
    const { open, waiting, told, tier, stops, facts } = startsOnDemand();
    const calls = [open(), open()];
    expect(tier.fire({ kind: 'session-end', sessionRef: sessionRefOf('s1'), reason: 'session-end' })).toBe(1);
    expect(tier.fire({ kind: 'session-end', sessionRef: sessionRefOf('s1'), reason: 'session-end' })).toBe(0);
    const anew = open();
    expect(waiting).toHaveLength(2);
    waiting[0]!.done('too late');
    waiting[1]!.done('in time');
    expect(await Promise.all(calls)).toMatchObject([{ code: 'ERR_TOOL_SESSION_ENDED' }, { code: 'ERR_TOOL_SESSION_ENDED' }]);
    expect(await anew).toMatchObject({ outcome: 'started', resource: 'in time' });
    await tier.settled();
    expect(stops).toEqual(['session-end']);
    expect(told()).toEqual(['started', 'started', 'closed session-end']);
    expect(facts[2]!.data).toMatchObject({ toolSessionId: facts[0]!.data.toolSessionId, calls: 0 });
  });

  it('T33 does not wait longer for it than for a cleanup, and stops it all the same when it is open', async () => {
    const { open, waiting, clock, tier, told, stops, troubles, quiet } = startsOnDemand();
    const call = open();
    let isClosed = false;
    const closed = tier.close().then(() => (isClosed = true));
    await quiet();
    clock.pass(4_999);
    await quiet();
    expect(isClosed).toBe(false);
    clock.pass(1);
    await closed;
    expect(troubles).toHaveLength(1);
    waiting[0]!.done('very late');
    expect(await call).toMatchObject({ outcome: 'refused', code: 'ERR_TOOL_SESSION_ENDED' });
    await tier.settled();
    expect(stops).toEqual(['shutdown']);
    expect(told()).toEqual(['started', 'closed shutdown']);
  });
});

it('S7 finds a session’s own again after the turn that opened it, and in another process there is nothing to find', async () => {
  const here = tierUnderTest();
  const first = callOf();
  expect(await here.use(first)).toBe('r1');
  expect(here.tier.fire({ kind: 'turn-end', turnId: first.turnId })).toBe(0);
  expect(await here.open(callOf())).toMatchObject({ outcome: 'reused', calls: 2 });
  const elsewhere = tierUnderTest();
  expect(await elsewhere.open(callOf())).toMatchObject({ outcome: 'started', calls: 1 });
});

it('T13 runs no timer and says nothing before the first registration and after the last one is gone', async () => {
  const { tier, clock, use, facts } = tierUnderTest();
  expect(tier.fire({ kind: 'turn-end', turnId: 'a turn without tools' })).toBe(0);
  expect([clock.timers, facts.length]).toEqual([0, 0]);
  const call = callOf();
  await use(call, { scope: 'run' });
  expect(clock.timers).toBe(1);
  tier.fire({ kind: 'turn-end', turnId: call.turnId });
  await tier.settled();
  expect([clock.timers, tier.live]).toEqual([0, 0]);
});

it('counts the live tool sessions of a session, or of a turn that has none', async () => {
  const { tier, use } = tierUnderTest();
  const [one, other] = [callOf(), callOf({ session: 's2' })];
  const alone = callOf({ sessionId: undefined, sessionRef: undefined });
  await use(one);
  await use(one, { scope: 'run' });
  await use(other);
  await use(alone, { scope: 'run' });
  const counts = () => [one.sessionRef!, other.sessionRef!, alone.turnId, 'nobody'].map((name) => tier.liveOf(name));
  expect(counts()).toEqual([2, 1, 1, 0]);
  tier.fire({ kind: 'turn-end', turnId: one.turnId });
  expect(counts()).toEqual([1, 1, 1, 0]);
});

it('T40 gives out no more what the log calls closed', async () => {
  const { tier, use, facts, told, stops } = tierUnderTest();
  await use(callOf());
  tier.drop(facts[0]!.data.toolSessionId, 'host-lost');
  tier.drop(facts[0]!.data.toolSessionId, 'host-lost');
  expect(await use(callOf())).toBe('r2');
  await tier.settled();
  expect([told(), stops]).toEqual([['started', 'started', 'closed host-lost'], ['r1 host-lost']]);
});
