import pg from 'pg';
import { startPostgres, type PostgresServer } from '../../../../test/postgres/postgres.mjs';
import { budgetStoreContract } from '../admission/testing/budget-store.contract.js';
import { openPostgresBudgets } from './postgres-budgets.js';

jest.setTimeout(60_000);

let server: PostgresServer;
let databases = 0;
let pools: pg.Pool[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const connections of pools) await connections.end();
  pools = [];
});

function pool(url: string): pg.Pool {
  const connections = new pg.Pool({ connectionString: url, max: 4 });
  connections.on('error', () => {});
  connections.on('connect', (client) => client.on('error', () => {}));
  pools.push(connections);
  return connections;
}

/** Makes what was taken older, which is as good as a clock that went on. */
const passIn = (connections: pg.Pool) => async (minutes: number) =>
  void (await connections.query(
    `update doorledger.turn_budget set last_minute = last_minute - $1::int,
       spent = (select jsonb_object_agg(key::bigint - $1::int, value) from jsonb_each(spent))`,
    [minutes],
  ));

budgetStoreContract('postgres', async () => {
  const connections = pool(await server.database(`budgets${++databases}`));
  const store = await openPostgresBudgets(connections);
  return { store, pass: passIn(connections) };
});

describe('budgets in a database', () => {
  let url: string;
  beforeEach(async () => {
    url = await server.database(`budgets${++databases}`);
  });

  it('A3 are shared by replicas: exactly as many turns as the limit says are admitted by all of them together', async () => {
    const stores = await Promise.all([pool(url), pool(url), pool(url)].map((connections) => openPostgresBudgets(connections)));
    const taken = await Promise.all(Array.from({ length: 90 }, (_, at) => stores[at % 3]!.take('ada', 25)));
    expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(25);
  });

  it('A3 are deleted once they say nothing any more', async () => {
    const connections = pool(url);
    const store = await openPostgresBudgets(connections);
    await store.take('ada', 1);
    await passIn(connections)(61);
    const another = await openPostgresBudgets(connections);
    await another.take('bob', 1);
    const keys = async () => (await connections.query<{ user_key: string }>('select user_key from doorledger.turn_budget')).rows;
    while ((await keys()).length > 1);
    expect(await keys()).toEqual([{ user_key: 'bob' }]);
  });

  it('A3 cannot be had while the server is down, and can be when it is back', async () => {
    const store = await openPostgresBudgets(pool(url));
    await server.kill();
    await expect(store.take('ada', 1)).rejects.toThrow();
    await server.restart();
    expect(await store.take('ada', 1)).toEqual({ isTaken: true });
  });

  it('A3 of a newer release are refused', async () => {
    const connections = pool(url);
    await openPostgresBudgets(connections);
    await connections.query(`update doorledger.part set version = 1000 where name = 'budgets'`);
    await expect(openPostgresBudgets(connections)).rejects.toMatchObject({ code: 'ERR_BUDGETS_NEWER' });
  });
});
