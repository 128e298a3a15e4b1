import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { runCli } from '../../faults/served-process.js';
import { ConsentWorld, call, type Answer } from '../consent/consent-world.js';

jest.setTimeout(240_000);
const OPERATOR = 'olga as operator';

let world: ConsentWorld;
beforeAll(async () => (world = await ConsentWorld.start({ gates: { free: undefined, gate: {} } })));
afterAll(() => world.stop());

const told = ({ status, body: { code } }: Answer) => [status, code];

async function doorledger(...args: string[]) {
  const { code, stdout, stderr } = await runCli([...args, '--data', world.data]);
  return { code, stderr, body: stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, unknown>) };
}

/** Whether a live content key of any kind is left for a reference. */
function hasKey(ref: string): boolean {
  const db = new Database(join(world.data, 'keys.db'), { readonly: true });
  try {
    return db.prepare('select 1 from content_key where ref = ? and length(wrapped) > 0').get(ref) !== undefined;
  } finally {
    db.close();
  }
}

/** The reference of a turn's party, once the ledger has read the record of its request. */
async function partyOf(turnId: string): Promise<string> {
  for (;;) {
    const items = (await world.get(OPERATOR, '/v1/ingress?limit=100')).body.items as { turnId?: string; userRef?: string }[];
    const found = items.find((one) => one.turnId === turnId);
    if (found) return found.userRef!;
    await sleep(20);
  }
}

it('X2 and P5 erase a session while it waits for a person: the consent is closed, what runs ends, it is 404 for ever', async () => {
  const { requestId } = await world.paused('ann', 'waits', 'gate', { note: 'n1' });
  await world.say('ann', 'stays', 'hello');
  expect(told(await world.post('ann', '/v1/erasures', { session: 'waits' }))).toEqual([403, 'ERR_ROLE_REQUIRED']);
  expect(told(await world.post(OPERATOR, '/v1/erasures', { session: 'waits', more: 1 }))).toEqual([400, 'ERR_INVALID_QUERY']);
  expect(told(await world.post(OPERATOR, '/v1/erasures', { session: 'never' }))).toEqual([404, 'ERR_NOT_FOUND']);
  const { status, body } = await world.post(OPERATOR, '/v1/erasures', { session: 'waits' });
  const sessions = body.sessions as string[];
  expect([status, sessions.length, body.keysDestroyed]).toEqual([200, 1, 1]);
  expect((await world.settled(requestId, 'closed')).consent).toMatchObject({ status: 'closed' });
  expect(hasKey(sessions[0]!)).toBe(false);
  expect(told(await world.decide('ann', 'waits', { approved: true, requestId }))).toEqual([404, 'ERR_SESSION_NOT_FOUND']);
  expect(told(await world.say('ann', 'waits', 'hello'))).toEqual([404, 'ERR_SESSION_NOT_FOUND']);
  expect((await world.say('ann', 'stays', 'hello')).status).toBe(200);
  expect(told(await world.post('ann', '/invoke', { op: 'session-transcript', sessionId: 'waits' }))).toEqual([
    404,
    'ERR_SESSION_NOT_FOUND',
  ]);
});

it('X2 ends the turn that runs in an erased session, X4 by a command through the running process', async () => {
  world.desk.hold('tools/call');
  const running = world.say('ann', 'runs', call('free', { note: 'n2' }));
  await world.desk.holding('tools/call');
  const { code, body } = await doorledger('erase', '--session', 'runs');
  expect([code, (body!.sessions as string[]).length, body!.keysDestroyed]).toEqual([0, 1, 1]);
  world.desk.release();
  expect((await running).status).not.toBe(200);
  expect(told(await world.say('ann', 'runs', 'hello'))).toEqual([404, 'ERR_SESSION_NOT_FOUND']);
});

it('X2 erases a person, who may come back as somebody new; X4 under the lock when nothing runs', async () => {
  await world.say('bob', 'of-bob', 'hello');
  const { headers } = await world.post('bob', '/invoke', { input: 'alone' });
  const userRef = await partyOf(headers.get('x-turn-id')!);
  await world.served.stop();
  const { code, body, stderr } = await doorledger('erase', '--user', userRef);
  expect([code, stderr, body]).toMatchObject([0, '', { target: { kind: 'person', ref: userRef }, keysDestroyed: 2 }]);
  expect(hasKey(userRef)).toBe(false);
  await world.up();
  expect(told(await world.say('bob', 'of-bob', 'hello'))).toEqual([404, 'ERR_SESSION_NOT_FOUND']);
  expect((await world.say('bob', 'anew', 'hello')).status).toBe(200);
  expect(hasKey(userRef)).toBe(true);
  expect((await doorledger('verify')).code).toBe(0);
});

it('X3 and X4 retain through the running process, and L8 find nothing that is blocked', async () => {
  const planned = await doorledger('retain', '--older-than', '30d');
  expect(planned).toMatchObject({ code: 0, body: { isApplied: false, cuts: [] }, stderr: 'Nothing was cut: say --yes to do it.\n' });
  expect(await doorledger('retain', '--older-than', 'soon')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ERR_NO_SUCH_AGE/) as string,
  });
  expect(await doorledger('repair')).toMatchObject({ code: 0, stderr: 'No session is blocked.\n' });
});
