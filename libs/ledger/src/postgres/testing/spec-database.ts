import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startPostgres, type PostgresServer } from '../../../../../test/postgres/postgres.mjs';

/** A server starts in a second, and in much more on a busy machine. */
const SPEC_MS = 60_000;

/**
 * Empty databases for one spec file: on the server of the whole run where there is one, else on one of its own. Call it at the top of the
 * file.
 */
export function specDatabases(): () => Promise<string> {
  jest.setTimeout(SPEC_MS);
  let own: PostgresServer | undefined;
  beforeAll(async () => {
    if (process.env.POSTGRES_URL === undefined) own = await startPostgres();
  });
  afterAll(() => own?.stop());
  return async () => {
    const name = `spec_${randomUUID().replaceAll('-', '')}`;
    if (own) return own.database(name);
    const url = new URL(process.env.POSTGRES_URL!);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    url.pathname = `/${name}`;
    return url.href;
  };
}

/** A server of its own, for specs that kill it. */
export function specServer(options: Parameters<typeof startPostgres>[0] = {}): () => PostgresServer {
  jest.setTimeout(SPEC_MS);
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres(options);
  });
  afterAll(() => server?.stop());
  return () => server!;
}
