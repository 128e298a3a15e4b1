import { callOf, tierUnderTest } from './testing/tier-under-test.js';
import { ALREADY_GONE } from './cleanup.js';

const call = callOf({ tenant: 'acme-tenant', person: 'ada-person', session: 'her-session' });
const end = { kind: 'turn-end', turnId: call.turnId } as const;

/** One of scope run that is ended, and how its stop behaves. */
async function ended(stop: () => Promise<void>) {
  const under = tierUnderTest();
  await under.use(call, { scope: 'run', label: 'workspace', stop });
  under.clock.pass(300);
  under.tier.fire(end);
  await under.quiet();
  return under;
}

it('S4 leaves a cleanup to itself at its bound, and reports it as ToolTeardownTimeoutError', async () => {
  const { clock, quiet, told, facts, tier, troubles } = await ended(() => new Promise(() => {}));
  clock.pass(4_999);
  await quiet();
  expect(told()).toEqual(['started']);
  clock.pass(1);
  await tier.settled();
  expect(told()).toEqual(['started', 'close-failed run-end']);
  expect(facts[1]!.data).toMatchObject({ errorClass: 'ToolTeardownTimeoutError', cleanupMs: 5_000, ageMs: 300 });
  expect(troubles).toMatchObject([{ error: { code: 'ERR_TOOL_TEARDOWN_TIMEOUT' } }]);
  expect(clock.timers).toBe(0);
});

it.each(['resolve', 'reject'] as const)('S1 and S4 write nothing more when an abandoned cleanup comes to an end (%s)', async (how) => {
  let settle = () => {};
  const stop = () => new Promise<void>((resolve, reject) => (settle = how === 'resolve' ? resolve : () => reject(new Error('late'))));
  const { clock, tier, told, quiet, troubles } = await ended(stop);
  clock.pass(5_000);
  await tier.settled();
  settle();
  await quiet();
  expect(told()).toEqual(['started', 'close-failed run-end']);
  expect(troubles).toHaveLength(1);
});

it('S5 tells of a cleanup that failed on the log and in a log line, and the run never hears of it', async () => {
  const failure = new RangeError('the disk of ada-person is full');
  const { told, facts, troubles, tier } = await ended(() => Promise.reject(failure));
  await tier.settled();
  expect(told()).toEqual(['started', 'close-failed run-end']);
  expect(facts[1]!.data).toMatchObject({ errorClass: 'RangeError' });
  expect(troubles).toEqual([{ sentence: expect.stringContaining('RangeError'), error: failure }]);
});

const hostile = {
  get code(): never {
    throw new Error('do not look');
  },
};
it.each<[string, Error]>([
  ['nothing', undefined as never],
  ['text', 'a text' as never],
  ['something that throws when looked at', hostile as never],
])('S5 takes whatever a cleanup throws: %s', async (_, thrown) => {
  const { facts, tier } = await ended(() => Promise.reject(thrown));
  await tier.settled();
  expect(facts[1]).toMatchObject({ type: 'tool-session.close-failed', data: { errorClass: 'Error' } });
});

it('S6 calls it closed when the far side had gone before', async () => {
  const { told, tier, troubles } = await ended(() => Promise.reject(Object.assign(new Error('404'), { code: ALREADY_GONE })));
  await tier.settled();
  expect(told()).toEqual(['started', 'closed run-end']);
  expect(troubles).toEqual([]);
});

it('T33 waits for what was ended before and meanwhile, and for nothing when nothing was', async () => {
  const under = tierUnderTest();
  await under.tier.settled();
  const [first, second] = [callOf(), callOf()];
  let finish = () => {};
  await under.use(first, { scope: 'run', stop: () => new Promise<void>((resolve) => (finish = resolve)) });
  await under.use(second, { scope: 'run', stop: async () => void under.tier.fire({ kind: 'shutdown' }) });
  await under.use(callOf());
  under.tier.fire({ kind: 'turn-end', turnId: first.turnId });
  let isSettled = false;
  const settled = under.tier.settled().then(() => (isSettled = true));
  under.tier.fire({ kind: 'turn-end', turnId: second.turnId });
  await under.quiet();
  expect([isSettled, under.told().filter((fact) => fact.startsWith('closed'))]).toEqual([false, ['closed run-end', 'closed shutdown']]);
  finish();
  await settled;
  expect(under.told().filter((fact) => fact.startsWith('closed'))).toHaveLength(3);
});

it('T33 shutdown waits for every cleanup, opens nothing any more, and can be asked for twice', async () => {
  const { tier, use, open, told } = tierUnderTest();
  await use(callOf());
  await use(callOf(), { server: 'mail' });
  await Promise.all([tier.close(), tier.close()]);
  expect(told()).toEqual(['started', 'started', 'closed shutdown', 'closed shutdown']);
  expect(await open(callOf())).toMatchObject({ outcome: 'refused', code: 'ERR_TOOL_SESSIONS_CLOSED' });
});

it('T41 puts no tenant, principal, key or error text into a fact, and of an odd error nothing but "Error"', async () => {
  const failure = Object.assign(new Error('ada-person broke it'), { name: 'not a class: ada-person' });
  const { tier, facts, use } = await ended(() => Promise.reject(failure));
  await use(call, { scope: 'session' });
  await use(call, { scope: 'session' });
  await tier.close();
  expect(facts.map(({ type }) => type.slice('tool-session.'.length))).toEqual(['started', 'close-failed', 'started', 'reused', 'closed']);
  expect(facts[1]!.data).toMatchObject({ errorClass: 'Error', label: 'workspace' });
  const written = JSON.stringify(facts);
  for (const secret of ['acme-tenant', 'ada-person', 'her-session', 's=', 'broke', call.userRef!]) expect(written).not.toContain(secret);
});

it('T3 writes the deployment’s hash of a key, not the digest of the process', async () => {
  const { use, facts } = tierUnderTest();
  await use(callOf({ tenant: 'acme', principal: 'ada' }));
  expect(facts[0]!.data.keyHash).toMatch(/^[0-9a-f]{12}$/);
  expect(facts[0]!.data.keyHash).not.toBe('830643297658');
});

it('S2 names the session and run of the caller when it is reused, and those of the opener when it closes', async () => {
  const { tier, use, facts } = tierUnderTest();
  const [opener, caller] = [callOf(), callOf()];
  await use(opener);
  await use(caller);
  await tier.close();
  expect(facts.map(({ data }) => data.runId)).toEqual([opener.runId, caller.runId, opener.runId]);
  expect(facts[2]!.data).toMatchObject({ sessionRef: opener.sessionRef, turnId: opener.turnId, calls: 2 });
});
