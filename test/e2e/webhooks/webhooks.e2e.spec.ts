import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { signatureOf } from '../../../libs/webhooks/src/signature.js';
import { Receiver, type Received } from '../../../libs/webhooks/src/testing/receiver.js';
import { runCli } from '../../faults/served-process.js';
import { ConsentWorld } from '../consent/consent-world.js';

jest.setTimeout(120_000);
const OPERATOR = 'olga as operator';
const secret = randomBytes(32);
const CANARY = 'canary-argument';

interface Event {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let receiver: Receiver;
let failing: Receiver;
let world: ConsentWorld;
beforeAll(async () => {
  [receiver, failing] = [await Receiver.start(), await Receiver.start()];
  failing.answer = (response) => void response.writeHead(500).end('canary-answer');
  const secrets = ['${env:HOOK_SECRET}'];
  world = await ConsentWorld.start({
    gates: { gate: {} },
    env: {
      HOOK_SECRET: `whsec_${secret.toString('base64')}`,
      DOORLEDGER_WEBHOOKS_ENDPOINTS: JSON.stringify([
        { name: 'desk', url: `${receiver.url}?canary-address`, secrets },
        { name: 'failing', url: failing.url, secrets, events: ['settled'] },
        { name: 'elsewhere', url: `${receiver.url}/elsewhere`, secrets, tenant: 'acme' },
      ]),
      DOORLEDGER_WEBHOOKS_LINK: 'https://desk.example/requests/{requestId}',
      DOORLEDGER_WEBHOOKS_TIMEOUT_MS: '6000',
      DOORLEDGER_WEBHOOKS_TRIES: '1',
    },
  });
});
afterAll(async () => {
  await world.stop();
  await Promise.all([receiver.stop(), failing.stop()]);
});

const eventOf = ({ body }: Received) => JSON.parse(body) as Event;
const about = (requestId: string, got = receiver.got) => got.filter((received) => eventOf(received).data.requestId === requestId);
const until = async (requestId: string, count: number) => {
  await receiver.until((got) => about(requestId, [...got]).length >= count);
  return about(requestId);
};

it('N54 tells that a request waits, how it was settled and by whom, and that its call ran, signed, with a link and without arguments', async () => {
  const { requestId, turnId } = await world.paused('ann', 'told', 'gate', { note: CANARY });
  const [waiting] = await until(requestId, 1);
  expect(eventOf(waiting!)).toMatchObject({
    type: 'consent.waiting',
    data: { requestId, turnId, gate: 'checkIn', server: 'gate', tool: 'pay', link: `https://desk.example/requests/${requestId}` },
  });
  await world.decide('ann', 'told', { requestId, approved: true, note: 'canary-note' });
  const got = await until(requestId, 3);
  const { consent } = await world.rows(requestId, (rows) => rows.call?.status === 'ok');
  const events = got.map(eventOf);
  expect(events.find(({ type }) => type === 'consent.settled')!.data).toMatchObject({
    state: 'approved',
    settledBy: consent!.settled_by,
    settledAt: new Date(consent!.settled_at as number).toISOString(),
  });
  expect(events.find(({ type }) => type === 'consent.outcome')!.data).toMatchObject({ state: 'approved', became: { state: 'ran' } });
  for (const { id, body, headers } of got) {
    const timestamp = Number(headers['webhook-timestamp']);
    expect(headers['webhook-signature']).toBe(signatureOf({ id, timestamp, body }, [secret]));
    expect(body).not.toMatch(/canary/);
  }
});

it('N54 shows dead letters to operators alone, who have them sent anew', async () => {
  const { requestId } = await world.paused('ann', 'dead', 'gate', { note: 'dead' });
  await world.decide('ann', 'dead', { requestId, approved: false });
  const path = '/v1/webhooks/dead-letters?endpoint=failing';
  let letter: Readonly<Record<string, unknown>> | undefined;
  while (!letter) {
    const { body } = await world.get(OPERATOR, path);
    letter = (body.items as Record<string, unknown>[]).find((item) => item.requestId === requestId);
    await sleep(20);
  }
  expect(letter).toMatchObject({ endpoint: 'failing', type: 'consent.settled', tries: 1, status: 500, why: 'tries' });
  const redeliver = `/v1/webhooks/dead-letters/${letter.deliveryId as string}/redeliver`;
  for (const person of ['ann', 'ann as auditor', 'ann as approver'])
    for (const answer of [await world.get(person, path), await world.get(person, '/v1/webhooks'), await world.post(person, redeliver, {})])
      expect([answer.status, answer.body.code]).toEqual([403, 'ERR_ROLE_REQUIRED']);
  failing.answer = (response) => void response.writeHead(204).end();
  expect(await world.post(OPERATOR, redeliver, {})).toMatchObject({ status: 200, body: { redelivered: 1 } });
  await failing.until((got) => about(requestId, [...got]).length === 2);
  expect(await world.post(OPERATOR, redeliver, {})).toMatchObject({ status: 404, body: { code: 'ERR_NOT_FOUND' } });
  expect((await world.get(OPERATOR, '/v1/webhooks')).body.items).toMatchObject([
    { endpoint: 'desk', state: 'active', dead: 0 },
    { endpoint: 'failing', events: ['consent.settled'] },
    { endpoint: 'elsewhere', waiting: 0, dead: 0 },
  ]);
  expect(await world.get(OPERATOR, '/v1/webhooks?x=1')).toMatchObject({ status: 400, body: { code: 'ERR_INVALID_QUERY' } });
});

it('N54 loses nothing to a kill in the middle of a delivery: the same event comes again, by the same id', async () => {
  receiver.answer = () => {};
  const { requestId } = await world.paused('ann', 'killed', 'gate', { note: 'killed' });
  const [first] = await until(requestId, 1);
  await world.served.kill();
  receiver.answer = (response) => void response.writeHead(204).end();
  await world.up();
  const [, second] = await until(requestId, 2);
  expect([second!.id, second!.body]).toEqual([first!.id, first!.body]);
});

it('N54 answers turns as ever while nobody receives, and tells of them when somebody does again', async () => {
  const { port } = receiver;
  await receiver.stop();
  const { requestId } = await world.paused('ann', 'away', 'gate', { note: 'away' });
  expect((await world.say('bob', 'meanwhile', 'hello')).status).toBe(200);
  let dead = 0;
  while (dead === 0) dead = ((await world.get(OPERATOR, '/v1/webhooks/dead-letters?endpoint=desk')).body.items as unknown[]).length;
  receiver = await Receiver.start(port);
  expect(await world.post(OPERATOR, '/v1/webhooks/dead-letters/redeliver', { endpoint: 'desk' })).toMatchObject({
    body: { redelivered: dead },
  });
  expect((await until(requestId, 1)).map(eventOf)).toMatchObject([{ type: 'consent.waiting' }]);
});

it('X0 sends nothing again when the ledger is built anew and taken into use', async () => {
  const before = receiver.got.length;
  const { code, stderr } = await runCli(['replay', '--switch'], { DOORLEDGER_DATA: world.data });
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  const { requestId } = await world.paused('ann', 'after', 'gate', { note: 'after' });
  await until(requestId, 1);
  const since = receiver.got.slice(before).map((received) => [eventOf(received).type, eventOf(received).data.requestId]);
  expect(since).toEqual([['consent.waiting', requestId]]);
});

it('N54 says in no log line where it sends, what, or what it heard', () => {
  expect(world.served.words()).not.toMatch(/canary|whsec_|127\.0\.0\.1:\d+\/hook/);
  expect(receiver.got.filter(({ path }) => path.includes('elsewhere'))).toEqual([]);
});
