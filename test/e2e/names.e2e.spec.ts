import { setTimeout as sleep } from 'node:timers/promises';
import { ConsentWorld } from './consent/consent-world.js';

jest.setTimeout(120_000);

let world: ConsentWorld;
beforeAll(async () => {
  world = await ConsentWorld.start({ gates: { gate: { deciders: 'role', roles: ['approver'] } } });
});
afterAll(() => world.stop());

/** The reference of a person's one session, once the ledger lists it. */
async function refOf(person: string): Promise<string> {
  for (const end = Date.now() + 20_000; ; await sleep(20)) {
    const [item] = (await world.get(person, '/v1/sessions')).body.items as { sessionRef: string }[];
    if (item) return item.sessionRef;
    if (Date.now() > end) throw new Error(`No session of ${person} is listed.`);
  }
}
const names = async (person: string, ...refs: string[]) => world.get(person, `/v1/names?sessions=${refs.join()}`);

it('O8 tells owners what their sessions’ references stand for, and nobody else: no auditor and no operator either', async () => {
  await world.say('ann', 'ann-s-talk', 'hello');
  await world.say('bob', 'bobs-talk', 'hello');
  const [anns, bobs] = [await refOf('ann'), await refOf('bob')];
  expect((await names('ann', anns, bobs)).body).toEqual({ sessions: { [anns]: 'ann-s-talk' } });
  expect((await names('bob', anns, bobs)).body).toEqual({ sessions: { [bobs]: 'bobs-talk' } });
  for (const other of ['carl', 'carl as auditor', 'carl as operator', 'carl as approver'])
    expect((await names(other, anns, bobs, 'a'.repeat(32))).body).toEqual({ sessions: {} });
  expect((await fetch(`${world.served.url}/v1/names?sessions=${anns}`)).status).toBe(401);
});

it('O8 and P7 refuse what is no reference, and what is not asked like that', async () => {
  const ref = 'a'.repeat(32);
  for (const query of ['', '?sessions=', '?sessions=ann', `?sessions=${ref}&users=${ref}`, `?sessions=${Array(101).fill(ref).join()}`]) {
    const { status, body } = await world.get('ann', `/v1/names${query}`);
    expect([status, body.code, body.error]).toEqual([400, 'ERR_INVALID_QUERY', expect.stringContaining('sessions')]);
  }
});

it('O8 tells who decides who asks, with the call itself; that they looked is a fact, and an erased name is told to nobody', async () => {
  const { requestId } = await world.paused('dora', 'dora-pays', 'gate', { note: 'dora' });
  const asker = { issuer: 'https://issuer.example', subject: 'dora' };
  const path = `/v1/consents/${requestId}/call`;
  expect((await world.get('bob as approver', path)).body).toMatchObject({ requestId, asker });
  expect((await world.get('dora', path)).body).toMatchObject({ asker });
  expect((await world.get('bob as auditor', path)).status).toBe(404);
  const ref = await refOf('dora');
  const erased = await world.post('olga as operator', '/v1/erasures', { sessionRef: ref });
  expect(erased.status).toBe(200);
  expect((await names('dora', ref)).body).toEqual({ sessions: {} });
});
