import { setTimeout as sleep } from 'node:timers/promises';
import { ConsentWorld, call, type Answer } from './consent/consent-world.js';

jest.setTimeout(120_000);
type Item = Readonly<Record<string, unknown>>;

const EVERYBODY = 'vera at * as auditor';
const auditorOf = (tenant: string) => `audrey at ${tenant} as auditor`;
const operatorOf = (tenant: string) => `olga at ${tenant} as operator`;
const SESSION = 'the same id in both';

let world: ConsentWorld;
/** By tenant: what its person waits for. */
const waiting: Record<string, { requestId: string; turnId: string }> = {};
beforeAll(async () => {
  world = await ConsentWorld.start({
    gates: { free: undefined, party: {}, role: { deciders: 'role', roles: ['treasurer'] } },
    env: { DOORLEDGER_OIDC_TENANT_CLAIM: 'org' },
  });
  for (const [person, tenant] of [
    ['ann', 'acme'],
    ['gus', 'globex'],
  ] as const) {
    const who = `${person} at ${tenant}`;
    for (const session of [SESSION.replaceAll(' ', '-'), `${tenant}-2`])
      expect((await world.say(who, session, call('free', { note: tenant }))).status).toBe(200);
    waiting[tenant] = await world.paused(who, `${tenant}-3`, 'role', { note: `${tenant} waits` });
  }
  await whole();
});
afterAll(() => world.stop());

/** Every item of a list, page by page. */
async function all(person: string, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await world.get(person, `${path}${path.includes('?') ? '&' : '?'}limit=2${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    items.push(...(body.items as Item[]));
    if (typeof body.cursor !== 'string') return items;
    cursor = body.cursor;
  }
}

/** The ledger has all that was said above. */
async function whole(): Promise<void> {
  for (;;) {
    const [sessions, calls, consents, ingress] = await Promise.all(
      ['/v1/sessions', '/v1/tool-calls?state=ok', '/v1/consents?state=pending', '/v1/ingress'].map((path) => all(EVERYBODY, path)),
    );
    if (sessions!.length === 6 && calls!.length === 4 && consents!.length === 2 && ingress!.length >= 6) return;
    await sleep(20);
  }
}

const told = ({ status, body }: Answer) => [status, body.code];

it.each([
  ['/v1/sessions', 'sessionRef', 3],
  ['/v1/consents', 'requestId', 1],
  ['/v1/consents?state=pending&server=role', 'requestId', 1],
  ['/v1/tool-calls', 'callId', 2],
  ['/v1/tool-calls?state=ok&server=free&tool=pay', 'callId', 2],
  ['/v1/tool-sessions', 'toolSessionId', 2],
  ['/v1/tool-sessions?state=live&server=free', 'toolSessionId', 2],
  ['/v1/ingress', 'turnId', 3],
])('P1 shows the auditor of one tenant of %s what is of it, and the auditor of all of them everything', async (path, id, least) => {
  const idsOf = async (person: string) => (await all(person, path)).map((item) => item[id]);
  const [ours, theirs, everybodys] = [await idsOf(auditorOf('acme')), await idsOf(auditorOf('globex')), await idsOf(EVERYBODY)];
  expect(ours.length).toBeGreaterThanOrEqual(least);
  expect(theirs).toHaveLength(ours.length);
  expect(ours.filter((one) => theirs.includes(one))).toEqual([]);
  expect([...ours, ...theirs].sort()).toEqual(everybodys.filter((one) => one !== undefined).sort());
  expect(await idsOf(auditorOf('nobody'))).toEqual([]);
});

it('P1 hides of another tenant its timelines, turns and requests, whoever is asked by whatever name', async () => {
  const [session] = (await all(auditorOf('globex'), '/v1/sessions')) as [Item];
  const { requestId, turnId } = waiting.globex!;
  const paths = [
    `/v1/sessions/${String(session.sessionRef)}/timeline`,
    '/v1/sessions/globex-2/timeline',
    `/v1/turns/${turnId}`,
    `/v1/consents/${requestId}`,
    `/v1/consents/${requestId}/call`,
  ];
  for (const path of paths) expect([path, ...told(await world.get(auditorOf('acme'), path))]).toEqual([path, 404, 'ERR_NOT_FOUND']);
  for (const path of paths.slice(0, 4)) expect([path, (await world.get(auditorOf('globex'), path)).status]).toEqual([path, 200]);
  for (const list of ['tool-calls', 'tool-sessions', 'consents'])
    expect(await all(auditorOf('acme'), `/v1/${list}?session=${String(session.sessionRef)}`)).toEqual([]);
  // The same id names a session of each: everybody finds their own.
  const timelines = await Promise.all(
    ['acme', 'globex'].map((tenant) => world.get(auditorOf(tenant), `/v1/sessions/${SESSION.replaceAll(' ', '-')}/timeline`)),
  );
  expect(timelines.map(({ status }) => status)).toEqual([200, 200]);
  expect(JSON.stringify(timelines[0]!.body)).not.toEqual(JSON.stringify(timelines[1]!.body));
});

it('P1 counts for the auditor of one tenant its people’s requests only, and nothing of whole hosts', async () => {
  const census = async (person: string) => (await world.get(person, '/v1/census')).body;
  const count = async (person: string, is: (item: Item) => boolean) => (await all(person, '/v1/ingress')).filter(is).length;
  const ours = await census(auditorOf('acme'));
  expect(ours.requests).toBe(await count(auditorOf('acme'), () => true));
  expect(Object.keys(ours).sort()).toEqual(['from', 'items', 'requests', 'to']);
  const { tenantRef } = (await all(auditorOf('acme'), '/v1/ingress'))[0]!;
  expect(tenantRef).toMatch(/^[0-9a-f]{32}$/);
  expect(await count(EVERYBODY, (item) => item.tenantRef === tenantRef)).toBe(ours.requests);
  expect(await count(auditorOf('acme'), (item) => 'seq' in item)).toBe(0);
  expect(Number((await census(EVERYBODY)).requests)).toBeGreaterThan(Number(ours.requests));
});

it('P1 refuses the auditor of one tenant, by a code of its own, what cannot be told apart', async () => {
  for (const path of ['/v1/census/check', '/v1/log', '/v1/log/quarantine', '/v1/tool-sessions/summary', '/v1/stream']) {
    for (const person of [auditorOf('acme'), operatorOf('acme')])
      expect([path, ...told(await world.get(person, path))]).toEqual([path, 403, 'ERR_ALL_TENANTS_REQUIRED']);
    expect([path, ...told(await world.get('ann at acme', path))]).toEqual([path, 403, 'ERR_ROLE_REQUIRED']);
    if (path !== '/v1/stream') expect((await world.get(EVERYBODY, path)).status).toBe(200);
  }
  expect(told(await world.get(operatorOf('acme'), '/v1/freezes'))).toEqual([403, 'ERR_ROLE_REQUIRED']);
});

it('N50 lets people decide in their own tenant only, whatever role they have in another', async () => {
  const { requestId, turnId } = waiting.acme!;
  const of = (tenant: string) => `tina at ${tenant} as treasurer as approver`;
  expect(await all(of('globex'), '/v1/consents?state=pending')).not.toContainEqual(expect.objectContaining({ requestId }));
  for (const tenant of ['globex', '*']) {
    expect(told(await world.vote(of(tenant), requestId, true))).toEqual([404, 'ERR_NOT_FOUND']);
    expect(told(await world.get(of(tenant), `/v1/consents/${requestId}/call`))).toEqual([404, 'ERR_NOT_FOUND']);
  }
  expect(world.desk.times('acme waits')).toBe(0);
  expect(await all(of('acme'), '/v1/consents?state=pending')).toContainEqual(expect.objectContaining({ requestId }));
  expect(await world.vote(of('acme'), requestId, true)).toMatchObject({ status: 200, body: { requestId, verdict: 'approved', turnId } });
  expect(await world.ended('ann at acme', turnId)).toMatchObject({ output: 'paid acme waits' });
});

it('P1 lets the operator of one tenant close what waits in it, and nothing that waits in another', async () => {
  const { requestId } = waiting.globex!;
  const close = (person: string) => world.post(person, `/v1/consents/${requestId}/close`, {});
  for (const person of [operatorOf('acme'), auditorOf('globex')]) expect(told(await close(person))).toEqual([404, 'ERR_NOT_FOUND']);
  expect((await world.pending('gus at globex', 'globex-3')).body).toMatchObject({ pending: { requestId } });
  expect(await close(operatorOf('globex'))).toMatchObject({ status: 200, body: { requestId, verdict: 'closed' } });
  const next = await world.paused('gus at globex', 'globex-4', 'role', { note: 'again' });
  expect((await world.post(operatorOf('*'), `/v1/consents/${next.requestId}/close`, {})).status).toBe(200);
});
