import { ConsentWorld } from './consent-world.js';

jest.setTimeout(120_000);
let world: ConsentWorld;
beforeAll(async () => {
  world = await ConsentWorld.start({ gates: { gate: {}, role: { deciders: 'role', roles: ['treasurer'] } } });
});
afterEach(() => world.desk.release());
afterAll(() => world.stop());

async function killed(): Promise<void> {
  await world.served.kill();
  world.desk.release();
  await world.up();
}

it('N9 and N20 keep a pause through kill -9: its request can be read, and one decision runs it once', async () => {
  const ask = await world.paused('ann', 'paused', 'gate', { note: 'paused' });
  await killed();
  expect((await world.pending('ann', 'paused')).body).toEqual({ pending: ask });
  const yes = { requestId: ask.requestId, approved: true };
  expect(await world.decide('ann', 'paused', yes)).toMatchObject({ status: 200, body: { output: 'paid paused' } });
  await killed();
  expect(await world.decide('ann', 'paused', yes)).toMatchObject({ status: 200, body: { output: 'paid paused' } });
  expect(world.desk.times('paused')).toBe(1);
});

it('N22 says of an approval whose host was killed before the dispatch that it is spent and did not run; the person is asked anew', async () => {
  const first = await world.paused('ann', 'spent', 'gate', { note: 'spent' });
  world.desk.hold('initialize');
  const yes = { requestId: first.requestId, approved: true };
  const broken = world.decide('ann', 'spent', yes).catch((error: unknown) => error);
  await world.desk.holding('initialize');
  await world.settled(first.requestId, 'approved');
  await killed();
  expect(await broken).toMatchObject({ name: 'TypeError' });
  expect(await world.rows(first.requestId, ({ consent }) => typeof consent?.not_run_at === 'number')).toMatchObject({
    consent: { status: 'approved', not_run_at: expect.any(Number) as number },
    call: undefined,
  });
  const { status, body } = await world.decide('ann', 'spent', yes);
  expect([status, body.code, body.turnId]).toEqual([409, 'ERR_TURN_ABANDONED', first.turnId]);
  const other = await world.decide('ann', 'spent', { requestId: first.requestId, approved: false });
  expect([other.status, other.body.reason, other.body.standing]).toEqual([409, 'already-answered', 'approved']);
  expect(world.desk.times('spent')).toBe(0);
  const { requestId } = await world.paused('ann', 'spent', 'gate', { note: 'spent' });
  expect(requestId).not.toBe(first.requestId);
  await world.decide('ann', 'spent', { requestId, approved: true });
  expect(world.desk.times('spent')).toBe(1);
});

it('N22 sends an approved call that was on its way never again: its outcome is unknown, and said so', async () => {
  const { requestId } = await world.paused('ann', 'sent', 'gate', { note: 'sent' });
  world.desk.hold('tools/call');
  const yes = { requestId, approved: true };
  const broken = world.decide('ann', 'sent', yes).catch((error: unknown) => error);
  await world.desk.holding('tools/call');
  await killed();
  await broken;
  expect(await world.rows(requestId, ({ call }) => call?.status === 'outcome-unknown')).toMatchObject({
    consent: { status: 'approved', not_run_at: null },
    call: { status: 'outcome-unknown', attempt: 1 },
  });
  expect(await world.decide('ann', 'sent', yes)).toMatchObject({ status: 409, body: { code: 'ERR_TURN_ABANDONED' } });
  expect(await world.say('ann', 'sent', 'go on')).toMatchObject({ status: 200, body: { output: 'go on' } });
  expect(world.desk.times('sent')).toBe(1);
});

it('N23 runs no approved call whose party hangs up before it is dispatched; the approval is spent', async () => {
  const { requestId, turnId } = await world.paused('ann', 'hung-up', 'gate', { note: 'hung-up' });
  world.desk.hold('initialize');
  const leaving = new AbortController();
  const left = world.decide('ann', 'hung-up', { requestId, approved: true }, { signal: leaving.signal }).catch((error: unknown) => error);
  await world.desk.holding('initialize');
  await world.settled(requestId, 'approved');
  leaving.abort();
  expect(await left).toMatchObject({ name: 'AbortError' });
  // Answers that were asked for later say that the host has met the end of that connection: only now may the tool session open.
  for (let i = 0; i < 2; i++) await world.pending('bob', 'none');
  world.desk.release();
  expect(await world.rows(requestId, ({ consent }) => typeof consent?.not_run_at === 'number')).toMatchObject({
    consent: { status: 'approved', not_run_at: expect.any(Number) as number },
    call: undefined,
  });
  expect(await world.ended('ann', turnId)).toMatchObject({ status: 'failed' });
  expect(world.desk.times('hung-up')).toBe(0);
});

it('N53 goes on in the party’s name when the approver hangs up', async () => {
  const { requestId, turnId } = await world.paused('ann', 'approver-left', 'role', { note: 'approver-left' });
  world.desk.hold('initialize');
  expect(await world.vote('tina as treasurer', requestId, true)).toMatchObject({ status: 200, body: { verdict: 'approved' } });
  await world.desk.holding('initialize');
  world.desk.release();
  expect(await world.ended('ann', turnId)).toMatchObject({ status: 'completed', output: 'paid approver-left' });
  expect(world.desk.times('approver-left')).toBe(1);
});
