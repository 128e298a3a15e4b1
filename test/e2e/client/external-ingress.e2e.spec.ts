import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { doorledger, type IngressItem, type IngressRecord } from '@doorledger/client';
import { v7 as uuidv7 } from 'uuid';
import { ServiceHost, type Claims } from './service-host.js';

jest.setTimeout(120_000);
const shop: Claims = { roles: ['service'], ns: 'shop' };
let host: ServiceHost;
beforeAll(async () => (host = await ServiceHost.start()));
afterAll(() => host.stop());

const clientOf = (claims: Claims) => doorledger({ url: host.url, token: () => host.tokenOf(claims) });
const record = (more: Partial<IngressRecord> = {}): IngressRecord => ({
  at: Date.now(),
  door: 'turn',
  outcome: 'served',
  bearerPresent: true,
  durationMs: 3,
  ...more,
});
const audit = () => clientOf({ roles: ['auditor'] }).ledger;

async function filed(hostId: string, count: number): Promise<IngressItem[]> {
  for (const end = Date.now() + 20_000; ; await sleep(20)) {
    const items: IngressItem[] = [];
    for await (const item of audit().ingress()) if (item.hostId === hostId) items.push(item);
    if (items.length >= count || Date.now() > end) return items.sort((a, b) => a.seq! - b.seq!);
  }
}
async function post(body: unknown, claims: Claims = shop) {
  const headers = { authorization: `Bearer ${await host.tokenOf(claims)}`, 'content-type': 'application/json' };
  const response = await fetch(`${host.url}/v1/ledger/ingress`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

it('N41 files records of somebody else’s door, marked as such and outside the count of any host', async () => {
  const sink = clientOf(shop).ingressSink({ door: 'agents' });
  const { file } = sink;
  file(record());
  file(record({ door: 'api', op: 'x', outcome: 'refused', errorCode: 'ERR_X', userRef: 'a'.repeat(32), sessionRef: 'b'.repeat(32) }));
  await sink.close();
  expect(sink.lost).toBe(0);
  const items = await filed('shop/agents', 2);
  expect(items).toMatchObject([
    { seq: 1, source: 'external', outcome: 'served' },
    { seq: 2, source: 'external', errorCode: 'ERR_X', userRef: 'a'.repeat(32), sessionRef: 'b'.repeat(32) },
  ]);
  const lives = [];
  for await (const life of audit().lives()) lives.push(life);
  expect(lives.map(({ hostId, addsUp }) => [hostId === 'shop/agents', addsUp])).toEqual([[false, true]]);
});

it('N41 files a batch once, however often it is sent', async () => {
  const batch = { door: 'twice', bootId: randomUUID(), records: [1, 2].map((seq) => ({ ...record(), id: uuidv7(), seq })) };
  expect([await post(batch), await post(batch)]).toEqual([
    { status: 200, body: { filed: 2 } },
    { status: 200, body: { filed: 2 } },
  ]);
  await post({ ...batch, records: [{ ...record(), id: uuidv7(), seq: 3 }] });
  expect((await filed('shop/twice', 3)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

it('N41 and E3 take nothing that is no field of a record, and name the one that is wrong', async () => {
  const good = { ...record(), id: uuidv7(), seq: 1 };
  const batchOf = (...records: unknown[]) => ({ door: 'bad', bootId: randomUUID(), records });
  const bad = [
    { ...good, message: 'what somebody said' },
    { ...good, source: 'external' },
    { ...good, hostId: 'host' },
    { ...good, errorName: 'not a class' },
    { ...good, userRef: 'ann' },
    { ...good, id: randomUUID() },
    { ...good, seq: 0 },
    { ...good, outcome: 'fine' },
    7,
    null,
  ];
  for (const one of bad) {
    const { status, body } = await post(batchOf(good, one));
    expect([one, status, body.code, body.index]).toEqual([one, 400, 'ERR_INVALID_QUERY', 1]);
    expect(JSON.stringify(body)).not.toContain('somebody said');
  }
  for (const batch of [{}, { ...batchOf(good), door: 'a/b' }, { ...batchOf(good), bootId: 'x' }, batchOf(), { ...batchOf(good), more: 1 }])
    expect((await post(batch)).body).toMatchObject({ code: 'ERR_INVALID_QUERY' });
  expect(await post(batchOf(good), { roles: ['operator'] })).toMatchObject({ status: 403, body: { code: 'ERR_ROLE_REQUIRED' } });
  expect(await filed('shop/bad', 0)).toEqual([]);
});

it('N41 is shown by the example, which runs as it stands', async () => {
  const env = { PATH: process.env.PATH, DOORLEDGER_URL: host.url, DOORLEDGER_TOKEN: await host.tokenOf(shop) };
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/client.mjs'], { env });
  expect(stdout).toContain('said    Hello, client.');
  expect(stdout).toContain('fact    turn.completed stands');
  expect(stdout).toMatch(/spends {2}\[ false, true \]\nspent {3}true\n$/);
});
