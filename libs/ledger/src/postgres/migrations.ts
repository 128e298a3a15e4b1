import type { ClientBase } from 'pg';
import { LedgerError } from '../errors.js';

/**
 * What lies in schema `doorledger`, outside every generation, in the order it came to be. A step that was released is never changed.
 * `retired_at`: from then on not written any more, but readers of other processes may still look at it.
 */
const steps = [
  `create table doorledger.ledger_generation (
     generation integer primary key,
     format integer not null,
     is_live boolean not null default false,
     retired_at timestamptz,
     check (not is_live or retired_at is null));
   create unique index one_live_generation on doorledger.ledger_generation (is_live) where is_live;
   create table doorledger.ledger_digest (
     is_last boolean primary key default true check (is_last),
     digest jsonb not null);`,
];

const PART = 'ledger';

/**
 * Brings the ledger's part of schema `doorledger` to this release, inside the caller's transaction.
 * @throws LedgerError `ERR_LEDGER_NEWER`
 */
export async function migrate(client: ClientBase): Promise<void> {
  await makeSchema(client);
  const { rows } = await client.query<{ version: number }>('select version from doorledger.part where name = $1', [PART]);
  const version = rows[0]?.version ?? 0;
  if (version > steps.length)
    throw new LedgerError(
      'ERR_LEDGER_NEWER',
      `The database has version ${version} of the ledger's tables, of a newer release; this one knows ${steps.length}. Use that release.`,
    );
  if (version === steps.length) return;
  for (const step of steps.slice(version)) await client.query(step);
  await client.query(
    'insert into doorledger.part (name, version) values ($1, $2) on conflict (name) do update set version = excluded.version',
    [PART, steps.length],
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
