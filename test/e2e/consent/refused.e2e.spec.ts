import { setTimeout as sleep } from 'node:timers/promises';
import { ConsentWorld, call, type Answer } from './consent-world.js';

jest.setTimeout(120_000);
let world: ConsentWorld;
beforeAll(async () => {
  world = await ConsentWorld.start({ gates: { gate: {}, 'decide-by': { decideByMs: 400 }, 'spend-by': { spendByMs: 400 } } });
});
afterAll(() => world.stop());

/** Status, code and reason of an answer. */
const told = ({ status, body }: Answer) => [status, body.code, ...(body.reason === undefined ? [] : [body.reason])];
const other = 'ab'.repeat(32);

it('N10 and D14 free nothing for the sender’s own errors, however often they are sent; the right decision still runs the call', async () => {
  const { requestId } = await world.paused('ann', 'sender', 'gate', { note: 'sender' });
  const wrong: [unknown, unknown[]][] = [
    ['yes', [400, 'ERR_DECISION_REQUIRED']],
    [null, [400, 'ERR_DECISION_REQUIRED']],
    [{ requestId }, [400, 'ERR_DECISION_REQUIRED']],
    [{ requestId, approved: 'true' }, [400, 'ERR_DECISION_REQUIRED']],
    [{ requestId, approved: true, chnages: { note: 'less' } }, [400, 'ERR_DECISION_REQUIRED']],
    [{ approved: true }, [400, 'ERR_RESUME_REFUSED', 'no-request']],
    [{ requestId: other, approved: true }, [409, 'ERR_RESUME_REFUSED', 'other-request']],
  ];
  for (const [decision, expected] of [...wrong, ...wrong]) expect(told(await world.decide('ann', 'sender', decision))).toEqual(expected);
  expect(await world.pending('ann', 'sender')).toMatchObject({ status: 200, body: { pending: { requestId } } });
  expect(await world.rows(requestId, ({ consent }) => consent !== undefined)).toMatchObject({
    consent: { status: 'pending' },
    call: undefined,
    attempts: [],
  });
  expect(world.desk.times('sender')).toBe(0);
  expect(told(await world.decide('ann', 'sender', { requestId, approved: true }))).toEqual([200, undefined]);
  expect(world.desk.times('sender')).toBe(1);
});

it.each(['decide-by', 'spend-by'])('N8 and N10 settle a request as expired past its %s clock, and free the session', async (server) => {
  const { requestId, turnId, ...ask } = await world.paused('ann', server, server, { note: server });
  const [clock] = [ask.decideBy, ask.spendBy].filter((at) => at !== undefined);
  while (Date.now() <= Date.parse(clock as string)) await sleep(50);
  for (let i = 0; i < 2; i++) {
    const answer = await world.decide('ann', server, { requestId, approved: true });
    expect(told(answer)).toEqual([409, 'ERR_RESUME_REFUSED', 'expired']);
  }
  const rows = await world.settled(requestId, 'expired');
  expect(rows).toMatchObject({ consent: { status: 'expired' }, call: undefined, attempts: ['spent expired'] });
  expect(await world.get('ann', `/v1/turns/${turnId}`)).toMatchObject({ body: { status: 'closed' } });
  expect(told(await world.pending('ann', server))).toEqual([409, 'ERR_NO_PENDING_ASK']);
  expect(await world.say('ann', server, 'go on')).toMatchObject({ status: 200, body: { output: 'go on' } });
  expect(world.desk.times(server)).toBe(0);
});

it('N13 says that nothing waits where nothing does, and where no session is named', async () => {
  await world.say('ann', 'idle', 'hello');
  const decision = { requestId: other, approved: true };
  expect(told(await world.decide('ann', 'idle', decision))).toEqual([409, 'ERR_NO_PENDING_ASK']);
  expect(told(await world.post('ann', '/invoke', { decision }))).toEqual([409, 'ERR_NO_PENDING_ASK']);
  expect(told(await world.vote('ann', other, true))).toEqual([404, 'ERR_NOT_FOUND']);
});

it('N17 fails a turn without a session at the gate; nothing is minted and nothing runs after it', async () => {
  const input = [call('gate', { note: 'sessionless' }), call('gate', { note: 'sessionless' })].join('\n');
  const answer = await world.post('ann', '/invoke', { input });
  expect([...told(answer), answer.body.stored]).toEqual([409, 'ERR_PAUSE_NOT_CARRIED', false]);
  const ended = async () => (await world.get('ann', `/v1/turns/${String(answer.body.turnId)}`)).body;
  while ((await ended()).status === 'running') await sleep(20);
  expect(await ended()).toMatchObject({ status: 'failed', errorCode: 'ERR_PAUSE_NOT_CARRIED' });
  expect(world.desk.times('sessionless')).toBe(0);
});

it.each([
  ['a number that parsing changes', '{"note":"n4","sum":9007199254740993}', '/args/sum'],
  ['a number past what a double holds', '{"note":"n4","sum":1e400}', '/args/sum'],
  ['half of a surrogate pair', '{"note":"n4","to":["\\ud800"]}', '/args/to/0'],
  ['a name that is there twice', '{"note":"n4","to":1,"to":2}', '/args/to'],
])('N4 refuses %s by its place, pauses for nobody and runs nothing', async (_, args, place) => {
  const { status, body } = await world.say('ann', 'unbindable', `/call gate.pay ${args}`);
  expect([status, body.output]).toEqual([200, expect.stringContaining(`(ERR_CONSENT_UNBINDABLE at ${place})`)]);
  expect(world.desk.times('n4')).toBe(0);
});

it('N12 and N13 refuse another decision while an approved call runs, and the winner’s retry until the turn has ended', async () => {
  const { requestId } = await world.paused('ann', 'running', 'gate', { note: 'running' });
  world.desk.hold('tools/call');
  const yes = { requestId, approved: true };
  const running = world.decide('ann', 'running', yes);
  await world.desk.holding('tools/call');
  expect(told(await world.decide('ann', 'running', yes))).toEqual([409, 'ERR_CONCURRENT_RUN']);
  expect(told(await world.decide('ann', 'running', { requestId, approved: false }))).toEqual([
    409,
    'ERR_RESUME_REFUSED',
    'already-answered',
  ]);
  expect(told(await world.say('ann', 'running', 'and now?'))).toEqual([409, 'ERR_CONCURRENT_RUN']);
  world.desk.release();
  expect((await running).body).toEqual({ output: 'paid running' });
  expect((await world.decide('ann', 'running', yes)).body).toEqual({ output: 'paid running' });
  expect(world.desk.times('running')).toBe(1);
});

it('N12 and N20 let one of two opposite decisions win, sent at once; the call runs if and only if the approval did', async () => {
  for (let round = 0; round < 8; round++) {
    const note = `race-${round}`;
    const { requestId } = await world.paused('ann', note, 'gate', { note });
    const answers = await Promise.all(
      [round % 2 === 0, round % 2 !== 0].map((approved) => world.decide('ann', note, { requestId, approved })),
    );
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status !== 200);
    expect([won.length, lost.map(told)]).toEqual([1, [[409, 'ERR_RESUME_REFUSED', 'already-answered']]]);
    const ran = won[0]!.body.output === `paid ${note}`;
    const rows = await world.settled(requestId, ran ? 'approved' : 'declined');
    expect([world.desk.times(note), rows.consent?.status]).toEqual(ran ? [1, 'approved'] : [0, 'declined']);
  }
});

it('N53 leaves no word of trouble in the log lines of all this', () => expect(world.served.words()).not.toContain('"level"'));
