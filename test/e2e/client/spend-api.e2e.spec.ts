import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceHost, type Claims } from './service-host.js';

jest.setTimeout(120_000);
const shop: Claims = { roles: ['service'], ns: 'shop' };

let host: ServiceHost;
beforeAll(async () => (host = await ServiceHost.start()));
afterAll(() => host.stop());

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(path: string, claims: Claims | undefined, body?: unknown): Promise<Answer> {
  const headers = { ...(claims && { authorization: `Bearer ${await host.tokenOf(claims)}` }), 'content-type': 'application/json' };
  const response = await fetch(`${host.url}${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}
const spend = (id: unknown, more: object = {}, claims: Claims | undefined = shop) => ask('/v1/ledger/spend', claims, { id, ...more });
const isSpent = async (id: string, claims = shop) => (await ask(`/v1/ledger/spent/${encodeURIComponent(id)}`, claims)).body.spent;
const told = ({ status, body: { code } }: Answer) => [status, code];

it('N40 spends an id once, answers a repeat of a claim as at first, and says who has', async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const { body: store } = await ask('/v1/ledger', shop);
  expect(store).toEqual({ storeId: expect.stringMatching(/^[0-9a-f-]{36}$/), namespace: 'shop' });
  expect(await isSpent('7')).toBe(false);
  expect(await spend('7', { claimId: mine })).toEqual({ status: 200, body: { spent: true, storeId: store.storeId } });
  expect((await spend('7', { claimId: other })).body.spent).toBe(false);
  expect((await spend('7')).body.spent).toBe(false);
  expect([(await spend('7', { claimId: mine })).body.spent, (await spend('7', { claimId: other })).body.spent]).toEqual([true, false]);
  expect([await isSpent('7'), await isSpent('8')]).toEqual([true, false]);
});

it('N40 lets one of many that spend at once have it', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => spend(`race-${i % 4}`)));
  for (const id of [0, 1, 2, 3]) expect(answers.filter(({ body }, i) => i % 4 === id && body.spent).length).toBe(1);
});

it('N40 settles any id of 1 to 400 characters, each for itself', async () => {
  const ids = ['a/b', 'a%2Fb', 'closed-proven:a/b', '..', '.', '?id=1', 'é', 'e\u0301', 'a\u0000', 'a\uFFFD', '🚪'.repeat(400), ' '];
  for (const id of ids) {
    const query = `/v1/ledger/spent?id=${encodeURIComponent(id)}`;
    expect([id, (await ask(query, shop)).body.spent]).toEqual([id, false]);
    expect((await spend(id)).body.spent).toBe(true);
    expect((await ask(query, shop)).body.spent).toBe(true);
  }
  for (const id of ids.filter((one) => !['.', '..'].includes(one))) expect([id, await isSpent(id)]).toEqual([id, true]);
});

it('N40 and P7 refuse by name what is no id, no claim, or not known', async () => {
  for (const id of ['', 'a'.repeat(401), 7, null, undefined, '\ud800']) expect(told(await spend(id))).toEqual([400, 'ERR_INVALID_QUERY']);
  for (const claimId of ['', 'mine', 7, null, randomUUID().toUpperCase()])
    expect(told(await spend('bad', { claimId }))).toEqual([400, 'ERR_INVALID_QUERY']);
  expect(told(await spend('bad', { claimid: randomUUID() }))).toEqual([400, 'ERR_INVALID_QUERY']);
  for (const query of ['id=bad&at=1', 'id=%ff', 'id=bad%', 'id=%ed%a0%80']) {
    expect([query, ...told(await ask(`/v1/ledger/spent?${query}`, shop))]).toEqual([query, 400, 'ERR_INVALID_QUERY']);
    expect([query, ...told(await ask(`/v1/ledger/spent?${query}`, undefined))]).toEqual([query, 401, 'ERR_IDENTITY_NOT_VERIFIED']);
  }
  expect(await isSpent('bad')).toBe(false);
});

it('P1 and N40 serve services alone, each in the namespace of its credential', async () => {
  expect((await spend('ns', {}, { ...shop, ns: 'shop.eu' })).body.spent).toBe(true);
  expect((await spend('ns')).body.spent).toBe(true);
  expect((await ask('/v1/ledger', { ...shop, ns: 'shop.eu' })).body.namespace).toBe('shop.eu');
  const strangers: Claims[] = [
    { ns: 'shop' },
    { roles: ['operator', 'user'], ns: 'shop' },
    { roles: ['service'] },
    ...['', 'grant', 'a/b', 'a:b', `${'a'.repeat(65)}`, 7, ['shop']].map((ns) => ({ roles: ['service'], ns })),
  ];
  for (const claims of strangers) {
    expect([claims, told(await spend('strange', {}, claims))]).toEqual([claims, [403, 'ERR_ROLE_REQUIRED']]);
    expect(told(await ask('/v1/ledger/spent/strange', claims))).toEqual([403, 'ERR_ROLE_REQUIRED']);
  }
  expect(told(await ask('/v1/ledger', undefined))).toEqual([401, 'ERR_IDENTITY_NOT_VERIFIED']);
  expect(await isSpent('strange')).toBe(false);
});

it('N40, E13 and L9 know what was spent after a restart, when the ledger has it and the tail has not met it', async () => {
  const mine = randomUUID();
  expect((await spend('kept', { claimId: mine })).body.spent).toBe(true);
  const auditor = { roles: ['auditor'] };
  for (;;) {
    const { items } = (await ask('/v1/ingress?limit=100', auditor)).body as { items: { op?: string; door: string }[] };
    if (items.some(({ op, door }) => op === 'ledger-spend' && door === 'api')) break;
    await sleep(20);
  }
  await host.served.stop();
  await host.up();
  expect([await isSpent('kept'), (await spend('kept')).body.spent, (await spend('kept', { claimId: mine })).body.spent]).toEqual([
    true,
    false,
    true,
  ]);
});

it('P6 and N30 spend nothing while an operator has frozen everything, and say so', async () => {
  const operator = { roles: ['operator'] };
  const { body } = await ask('/v1/freezes', operator, { target: { kind: 'everything' }, why: 'a drill' });
  expect(await spend('frozen')).toMatchObject({ status: 503, body: { code: 'ERR_FROZEN', mayHaveBeenUsed: false } });
  const token = await host.tokenOf(operator);
  await fetch(`${host.url}/v1/freezes/${body.freezeId as string}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  expect([await isSpent('frozen'), (await spend('frozen')).body.spent]).toEqual([false, true]);
});

it('P1 and N40 keep the namespaces of tenants apart', async () => {
  const tenants = await ServiceHost.start({ DOORLEDGER_OIDC_TENANT_CLAIM: 'org' });
  try {
    const answers = [];
    for (const org of ['one', 'two', 'one']) {
      const headers = { authorization: `Bearer ${await tenants.tokenOf({ ...shop, org })}`, 'content-type': 'application/json' };
      const response = await fetch(`${tenants.url}/v1/ledger/spend`, { method: 'POST', headers, body: '{"id":"7"}' });
      answers.push(((await response.json()) as Answer['body']).spent);
    }
    expect(answers).toEqual([true, true, false]);
  } finally {
    await tenants.stop();
  }
});
