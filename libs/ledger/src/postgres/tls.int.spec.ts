import pg from 'pg';
import { RowChanges } from '../row-changes.js';
import type { PostgresAddress } from './address.js';
import { PostgresGenerations } from './generations.js';
import { specServer } from './testing/spec-database.js';

const server = specServer({ tls: true });

const files = () => {
  const { ca, cert, key } = server().tls!.paths;
  return `sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`;
};
const authority = ({ ca, cert, key } = server().tls!) => ({ ca, cert, key });

/** Whether each connection of a ledger in use is encrypted, as the server sees it. */
async function areEncrypted(address: PostgresAddress): Promise<boolean[]> {
  const watcher = new pg.Client({ connectionString: server().url(), ssl: authority() });
  const generations = await PostgresGenerations.open(address);
  const { store } = await generations.openLive();
  await watcher.connect();
  try {
    await store.commit({ advances: [], changes: new RowChanges() });
    await store.db.selectFrom('host').select('host_id').execute();
    const { rows } = await watcher.query<{ ssl: boolean }>(
      `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'doorledger %'`,
    );
    return rows.map((row) => row.ssl);
  } finally {
    await watcher.end();
    await store.close();
    await generations.close();
  }
}

it('X1 reaches a server that wants TLS and a client certificate, every connection encrypted', async () => {
  for (const mode of ['verify-full', 'verify-ca', 'require'])
    expect(await areEncrypted({ url: `${server().url()}?sslmode=${mode}&${files()}` })).toEqual([true, true, true]);
  expect(await areEncrypted({ url: server().url(), tls: authority() })).toEqual([true, true, true]);
});

it('X1 sends nothing to a server whose certificate no known authority made', async () => {
  const { cert, key } = server().tls!;
  const open = (mode: string, ca?: string) =>
    PostgresGenerations.open({ url: `${server().url()}?sslmode=${mode}`, tls: { ca, cert, key } });
  for (const mode of ['verify-full', 'verify-ca'])
    await expect(open(mode)).rejects.toMatchObject({ code: 'ERR_DATABASE_REFUSED', cause: { code: expect.stringMatching(/CERT|LEAF/) } });
  const opened = await open('require');
  await opened.close();
});

it('X1 sends nothing to a server of another name, unless only its authority is to be checked', async () => {
  const { port } = new URL(server().url());
  const open = (mode: string) =>
    PostgresGenerations.open({ url: `postgres://postgres@localhost:${port}/postgres?sslmode=${mode}&${files()}` });
  await expect(open('verify-full')).rejects.toMatchObject({ cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  const opened = await open('verify-ca');
  await opened.close();
});

it('X1 is refused by the server without TLS, and without a client certificate', async () => {
  await expect(PostgresGenerations.open({ url: server().url() })).rejects.toMatchObject({
    code: 'ERR_DATABASE_REFUSED',
    cause: { code: '28000' },
  });
  await expect(PostgresGenerations.open({ url: server().url(), tls: { ca: server().tls!.ca } })).rejects.toMatchObject({
    code: 'ERR_DATABASE_REFUSED',
  });
});
