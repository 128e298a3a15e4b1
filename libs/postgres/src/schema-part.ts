import type { ClientBase, Pool } from 'pg';

/** What one lib keeps in schema `doorledger`, outside every ledger generation. */
export interface SchemaPart {
  readonly name: string;
  /** In the order they came to be. A step that was released is never changed. */
  readonly steps: readonly string[];
  /** The refusal of tables that a newer release made; `known` is how many steps this release has. */
  readonly newer: (version: number, known: number) => Error;
  /** The refusal where nothing is there yet and nothing may be made. */
  readonly missing?: Error;
}

/** One process at a time changes schema `doorledger`: the advisory lock that all parts take. */
const LOCK = [0x646f6f72, 0];

/** Brings a part to this release, in a transaction of its own. @throws what `newer` or `missing` is */
export async function prepare(pool: Pool, part: SchemaPart): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1, $2)', LOCK);
    await bringUp(client, part);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Brings a part to this release inside the caller's transaction, which holds the lock. @throws what `newer` or `missing` is */
export async function bringUp(client: ClientBase, { name, steps, newer, missing }: SchemaPart): Promise<void> {
  await makeSchema(client);
  const { rows } = await client.query<{ version: number }>('select version from doorledger.part where name = $1', [name]);
  const version = rows[0]?.version ?? 0;
  if (version === 0 && missing) throw missing;
  if (version > steps.length) throw newer(version, steps.length);
  if (version === steps.length) return;
  for (const step of steps.slice(version)) await client.query(step);
  await client.query(
    'insert into doorledger.part (name, version) values ($1, $2) on conflict (name) do update set version = excluded.version',
    [name, steps.length],
  );
}

/** A user that may not make schemas can use one that is there. */
async function makeSchema(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ part: string | null }>(`select to_regclass('doorledger.part') as part`);
  if (rows[0]!.part !== null) return;
  await client.query(
    `create schema if not exists doorledger;
     create table doorledger.part (name text primary key, version integer not null);`,
  );
}
