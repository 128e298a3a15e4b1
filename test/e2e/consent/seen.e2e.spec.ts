import { createHash } from 'node:crypto';
import { runCli } from '../../faults/served-process.js';
import { ConsentWorld } from './consent-world.js';

jest.setTimeout(120_000);
let world: ConsentWorld;
beforeAll(async () => {
  world = await ConsentWorld.start({ gates: { desk: { deciders: 'role', roles: ['approver'] } } });
});
afterAll(() => world.stop());

/** `content.read` facts on the log. */
async function reads(): Promise<Readonly<Record<string, unknown>>[]> {
  const { stdout } = await runCli(['tail', '--topic', 'system', '--type', 'content.read', '--no-follow', '--data', world.data]);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { event: { data: Readonly<Record<string, unknown>> } }).event.data);
}

it('N51 and P4 show the exact call whole to whoever may decide, and to nobody else; that somebody read it is a fact', async () => {
  const args = { note: 'seen\u202e', amount: 7 };
  const { requestId } = await world.paused('ann', 'shown', 'desk', args);
  const path = `/v1/consents/${requestId}/call`;
  expect((await world.get('stranger', path)).status).toBe(404);
  expect((await world.get('ann', path)).body).toMatchObject({ requestId, args });
  expect(await reads()).toEqual([]);
  const { status, body } = await world.get('bob as approver', path);
  expect(status).toBe(200);
  expect(body.text).toBe('{\n  "amount": 7,\n  "note": "seen\\u202e"\n}');
  expect(body.digest).toBe(
    createHash('sha256')
      .update(JSON.stringify({ amount: 7, note: args.note }))
      .digest('hex'),
  );
  for (const end = Date.now() + 5000; (await reads()).length === 0 && Date.now() < end;);
  expect(await reads()).toMatchObject([{ what: 'arguments', by: expect.stringMatching(/^[0-9a-f]{32}$/) as string }]);
  await world.vote('bob as approver', requestId, false);
  expect((await world.get('bob as approver', path)).status).toBe(404);
});

it('P4 shows a decider the last approved call of the tool beside the one that waits, and to nobody else; that look is a fact too', async () => {
  const first = await world.paused('ann', 'before', 'desk', { note: 'before', amount: 1 });
  const path = (requestId: string) => `/v1/consents/${requestId}/previous`;
  expect((await world.get('bob as approver', path(first.requestId))).status).toBe(404);
  await world.vote('bob as approver', first.requestId, true);
  await world.ended('ann', first.turnId);
  await world.settled(first.requestId, 'approved');
  const declined = await world.paused('ann', 'between', 'desk', { note: 'between' });
  await world.vote('bob as approver', declined.requestId, false);
  const { requestId } = await world.paused('carl', 'after', 'desk', { note: 'after', amount: 2 });
  for (const stranger of ['carl', 'eve as auditor', 'olga as operator'])
    expect([stranger, (await world.get(stranger, path(requestId))).status]).toEqual([stranger, 404]);
  const seen = (await reads()).length;
  const { status, body } = await world.get('bob as approver', path(requestId));
  expect([status, body]).toEqual([
    200,
    {
      requestId: first.requestId,
      isSameTool: true,
      approvedAt: expect.stringMatching(/^\d{4}-/) as string,
      text: '{\n  "amount": 1,\n  "note": "before"\n}',
      digest: createHash('sha256').update('{"amount":1,"note":"before"}').digest('hex'),
    },
  ]);
  for (const end = Date.now() + 5000; (await reads()).length === seen && Date.now() < end;);
  expect((await reads()).length).toBe(seen + 1);
  // The earlier call is hers, and the one that waits is not there for her: nor is what would tell of it.
  expect(await world.get('ann', path(requestId))).toMatchObject({ status: 404, body: { error: 'There is no such request.' } });
  const hers = await world.paused('ann', 'later', 'desk', { note: 'later', amount: 3 });
  expect((await world.get('ann', path(hers.requestId))).body).toMatchObject({ requestId: first.requestId });
});

it('P4 lets no cache keep what an answer of the API shows, nor that it showed nothing', async () => {
  const { requestId, turnId } = await world.paused('ann', 'unkept', 'desk', { note: 'unkept' });
  const shown = [`/v1/consents/${requestId}`, `/v1/consents/${requestId}/call`, `/v1/turns/${turnId}`, '/v1/consents', '/v1/grants'];
  for (const person of ['ann', 'eve'])
    for (const path of [...shown, '/v1/nothing', '/v1/turns/%ed%a0%80', '/assets/nothing.js']) {
      const { headers } = await world.get(person, path);
      expect([path, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([path, 'no-store', 'nosniff']);
    }
});
