import { openPostgresPool } from '@doorledger/ledger/postgres';
import { startPostgres, type PostgresServer } from '../../../../test/postgres/postgres.mjs';
import { webhookStoreContract } from '../testing/webhook-store.contract.js';
import { openPostgresWebhookStore } from './postgres-webhook-store.js';

jest.setTimeout(60_000);

let server: PostgresServer;
let databases = 0;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const open = (url: string) => openPostgresWebhookStore(openPostgresPool({ url, role: 'webhooks' }));

webhookStoreContract('postgres', async () => open(await server.database(`webhooks${++databases}`)));

it('N54 gives each delivery to one of several processes that ask at once, and lets one of them move a place', async () => {
  const url = await server.database(`webhooks${++databases}`);
  const stores = await Promise.all([open(url), open(url), open(url)]);
  const places = await Promise.all(stores.map((store, i) => store.begin('log', [i, i])));
  const [from] = places[0] as [number, number];
  expect(new Set(places.map(String)).size).toBe(1);
  const deliveries = Array.from({ length: 60 }, (_, i) => ({
    endpoint: 'one',
    eventId: `msg_${i}`,
    type: 't',
    requestId: 'r',
    body: '{}',
  }));
  const move = { logId: 'log', partition: 0, from, to: from + 60 };
  const moved = await Promise.all(stores.map((store) => store.enqueue(move, deliveries, 100, 1000)));
  expect(moved.sort()).toEqual(['moved', 'stale', 'stale']);
  const leased = await Promise.all(stores.flatMap((store) => [1, 2].map(() => store.lease('one', 10, 1000, 2000))));
  const ids = leased.flat().map(({ eventId }) => eventId);
  expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
  for (const store of stores) await store.close();
});
