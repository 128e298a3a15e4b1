import { DoorledgerError } from '@doorledger/contracts';
import type { Pool, PoolClient } from 'pg';

/**
 * What lies in schema `doorledger` for budgets, in the order it came to be. A step that was released is never changed. A row is rewritten with
 * every turn of its key and is worth nothing after an hour, so it is not logged by the server: a crash empties the table.
 */
const steps = [
  `create unlogged table doorledger.turn_budget (
     user_key text collate "C" primary key, spent jsonb not null, last_minute bigint not null) with (fillfactor = 50)`,
];

const PART = 'budgets';
/** One process at a time changes schema `doorledger`: the advisory lock that all parts of the product take. */
const LOCK = [0x646f6f72, 0];

/**
 * Brings the table of budgets to this release.
 * @throws DoorledgerError `ERR_BUDGETS_NEWER`
 */
export async function prepareBudgetTable(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1, $2)', LOCK);
    await makeSchema(client);
    await bringUp(client);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function bringUp(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ version: number }>('select version from doorledger.part where name = $1', [PART]);
  const version = rows[0]?.version ?? 0;
  if (version > steps.length)
    throw new DoorledgerError(
      'ERR_BUDGETS_NEWER',
      `The table of budgets in the database has version ${version} of a newer release; this one knows ${steps.length}. Use that release.`,
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
