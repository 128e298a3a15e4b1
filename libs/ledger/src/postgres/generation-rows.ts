import type { Pool, PoolClient } from 'pg';
import { LEDGER_FORMAT } from '../schema/index.js';
import { schemaOf, tableStatements } from './schema.js';

/** What `doorledger.ledger_generation` says of one. */
export interface GenerationRow {
  readonly generation: number;
  readonly format: number;
  readonly is_live: boolean;
  readonly is_retired: boolean;
  /** Retired so long ago that nobody looks at it. */
  readonly is_forgotten: boolean;
}

/** Hosts read it until the new one has come as far. */
const FORGOTTEN_AFTER = '10 minutes';

/** A schema that somebody reads is dropped another time. */
const DROP_WAIT_MS = 2000;

export const rowsOf = async (client: Pool | PoolClient): Promise<GenerationRow[]> =>
  (
    await client.query<GenerationRow>(
      `select generation, format, is_live, retired_at is not null as is_retired,
         coalesce(retired_at < now() - interval '${FORGOTTEN_AFTER}', false) as is_forgotten
       from doorledger.ledger_generation`,
    )
  ).rows;

export async function create(client: PoolClient, generation: number): Promise<void> {
  await client.query(
    `create schema ${schemaOf(generation)}; set local search_path = ${schemaOf(generation)}; ${tableStatements().join('; ')}`,
  );
  await client.query('insert into doorledger.ledger_generation (generation, format) values ($1, $2)', [generation, LEDGER_FORMAT]);
}

export async function takeIntoUse(client: PoolClient, generation: number): Promise<void> {
  await client.query('update doorledger.ledger_generation set is_live = false, retired_at = now() where is_live');
  await client.query('update doorledger.ledger_generation set is_live = true where generation = $1', [generation]);
}

export async function drop(client: PoolClient, generation: number): Promise<void> {
  await client.query(`set local lock_timeout = ${DROP_WAIT_MS}; drop schema if exists ${schemaOf(generation)} cascade`);
  await client.query('delete from doorledger.ledger_generation where generation = $1', [generation]);
}
