import { createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import { PostgresGenerations } from './generations.js';
import { specServer } from './testing/spec-database.js';

const server = specServer();
const codeOf = (url: string) =>
  PostgresGenerations.open({ url }).then(
    (opened) => opened.close(),
    (error: { code?: string }) => error.code,
  );

it('K15 tells a database that is away from one that refuses', async () => {
  const { port } = new URL(server().url());
  const client = new pg.Client({ connectionString: server().url() });
  await client.connect();
  for (const statement of ['create role guest login', 'create database closed']) await client.query(statement);
  await client.end();
  expect(await codeOf(server().url('no_such_database'))).toBe('ERR_DATABASE_REFUSED');
  expect(await codeOf(`postgres://nobody_known@127.0.0.1:${port}/postgres`)).toBe('ERR_DATABASE_REFUSED');
  expect(await codeOf(`postgres://guest@127.0.0.1:${port}/closed`)).toBe('ERR_DATABASE_REFUSED');
  expect(await codeOf(`${server().url()}?sslmode=require`)).toBe('ERR_DATABASE_REFUSED');
  await server().kill();
  expect(await codeOf(server().url())).toBe('ERR_DATABASE_AWAY');
  await server().restart();
  expect(await codeOf(server().url())).toBeUndefined();
});

it('K15 and P7 name what a read of the ledger meets while the database is away, and read on when it is back', async () => {
  const generations = await PostgresGenerations.open({ url: server().url() });
  const { store } = await generations.openLive();
  const read = () => store.db.selectFrom('session').selectAll().execute();
  const asks = [
    read,
    () => store.snapshot((db) => db.selectFrom('session').selectAll().execute()),
    () => generations.live,
    () => generations.knownDigest,
  ];
  for (const ask of asks) await ask();
  await server().kill();
  for (const ask of asks) await expect(ask()).rejects.toMatchObject({ code: 'ERR_DATABASE_AWAY' });
  await server().restart();
  for (const ask of asks) await expect(ask()).resolves.not.toThrow();
  await store.close();
  await generations.close();
});

it('K15 takes a server that hangs up for one that is away', async () => {
  const rude = createServer((socket) => socket.on('error', () => {}).destroy());
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
  expect(await codeOf(`postgres://me@127.0.0.1:${(rude.address() as AddressInfo).port}/ledger`)).toBe('ERR_DATABASE_AWAY');
  await new Promise((resolve) => rude.close(resolve));
});
