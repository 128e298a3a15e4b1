import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { startPostgres, type PostgresServer } from '../../../../test/postgres/postgres.mjs';
import type { KeyStore, WrappedKey } from '../key-store.js';
import { keyStoreContract } from '../testing/key-store.contract.js';
import { openPostgresKeyStore } from './postgres-key-store.js';

jest.setTimeout(60_000);

let server: PostgresServer;
let databases = 0;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  url = await server.database(`keys${++databases}`);
});

function pool(): pg.Pool {
  const connections = new pg.Pool({ connectionString: url, max: 2 });
  connections.on('error', () => {});
  return connections.on('connect', (client) => client.on('error', () => {}));
}

async function sql(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

const session = (): WrappedKey => ({
  keyId: randomUUID(),
  owner: { kind: 'session', ref: randomBytes(16).toString('hex') },
  wrapped: randomBytes(60),
});

keyStoreContract('postgres', async () => ({ open: () => openPostgresKeyStore(pool()), dispose: async () => {} }));

describe('content keys in a database', () => {
  let stores: KeyStore[];
  const open = async (options = {}) => {
    const connections = pool();
    try {
      const store = await openPostgresKeyStore(connections, options);
      stores.push(store);
      return store;
    } catch (error) {
      await connections.end();
      throw error;
    }
  };
  beforeEach(() => {
    stores = [];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  it('X1 are made once, however many hosts start at the same time', async () => {
    const row = session();
    const [one, two] = await Promise.all([open(), open(), open()]);
    await one.insertIfAbsent([row]);
    expect(await two.byId(row.keyId)).toEqual(row);
  });

  it('X1 are the same for hosts that race for the same owners', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    for (let round = 0; round < 20; round++) {
      const rows = Array.from({ length: 40 }, session);
      const others = rows.map(({ owner }) => ({ ...session(), owner }));
      const [ofOne, ofTwo] = await Promise.all([one.insertIfAbsent(rows), two.insertIfAbsent(others)]);
      expect(ofTwo).toEqual(ofOne);
    }
  });

  it('X1 wait for a host that is inserting the same owner, and for each other never in a circle', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    const [first, middle, last] = ['a', 'b', 'c'].map((ref) => ({ ...session(), owner: { kind: 'session' as const, ref } })) as [
      WrappedKey,
      WrappedKey,
      WrappedKey,
    ];
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(
      `begin; insert into doorledger.content_key (key_id, kind, ref, wrapped) values ('theirs', 'session', 'b', 'wrapped')`,
    );
    const untilWaiting = async (count: number) => {
      while ((await other.query('select from pg_locks where not granted')).rowCount! < count);
    };
    const ofOne = one.insertIfAbsent([first, middle, last]);
    await untilWaiting(1);
    const ofTwo = two.insertIfAbsent([last, middle, first]);
    await untilWaiting(2);
    await other.query('commit');
    await other.end();
    const stands = (await ofOne).map(({ keyId }) => keyId);
    expect(stands).toEqual([first.keyId, 'theirs', last.keyId]);
    expect((await ofTwo).map(({ keyId }) => keyId)).toEqual([...stands].reverse());
  });

  it('X1 are there after the server was killed', async () => {
    const store = await open();
    const row = session();
    await store.insertIfAbsent([row]);
    await server.kill();
    await expect(store.byId(row.keyId)).rejects.toThrow();
    await server.restart();
    expect(await store.byId(row.keyId)).toEqual(row);
  });

  it('X1 are not made anew where content lies under old ones', async () => {
    await expect(open({ mayCreate: false })).rejects.toMatchObject({ code: 'ERR_KEYS_MISSING' });
    await open();
    await open({ mayCreate: false });
  });

  it('X1 of a newer release are refused', async () => {
    await open();
    await sql('update doorledger.part set version = 1000');
    await expect(open()).rejects.toMatchObject({ code: 'ERR_KEYS_NEWER' });
  });
});
