import type { Pool, PoolClient } from 'pg';
import { ContentError } from '../errors.js';

/** What lies in schema `doorledger` for content keys, in the order it came to be. A step that was released is never changed. */
const steps = [
  `create table doorledger.content_key (
     kind text collate "C" not null, ref text collate "C" not null, key_id text collate "C" not null unique, wrapped bytea not null,
     primary key (kind, ref))`,
];

const PART = 'keys';
/** One process at a time changes schema `doorledger`: the advisory lock that all parts of the product take. */
const LOCK = [0x646f6f72, 0];

/**
 * Brings the table of content keys to this release. Where none is there it is made, if it may be.
 * @throws ContentError `ERR_KEYS_MISSING`, `ERR_KEYS_NEWER`
 */
export async function prepareKeyTable(pool: Pool, mayCreate: boolean): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1, $2)', LOCK);
    await makeSchema(client);
    await bringUp(client, mayCreate);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function bringUp(client: PoolClient, mayCreate: boolean): Promise<void> {
  const { rows } = await client.query<{ version: number }>('select version from doorledger.part where name = $1', [PART]);
  const version = rows[0]?.version ?? 0;
  if (version === 0 && !mayCreate)
    throw new ContentError(
      'ERR_KEYS_MISSING',
      'There are no content keys in the database, and content of this log is sealed under some. Name the right database, or put a backup back.',
    );
  if (version > steps.length)
    throw new ContentError(
      'ERR_KEYS_NEWER',
      `The content keys in the database have version ${version} of a newer release; this one knows ${steps.length}. Use that release.`,
    );
  if (version === steps.length) return;
  for (const step of steps.slice(version)) await client.query(step);
  await client.query(
    'insert into doorledger.part (name, version) values ($1, $2) on conflict (name) do update set version = excluded.version',
    [PART, steps.length],
  );
}

/** A user that may not make schemas can use one that is there. */
async function makeSchema(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ part: string | null }>(`select to_regclass('doorledger.part') as part`);
  if (rows[0]!.part !== null) return;
  await client.query(
    `create schema if not exists doorledger;
     create table doorledger.part (name text primary key, version integer not null);`,
  );
}
