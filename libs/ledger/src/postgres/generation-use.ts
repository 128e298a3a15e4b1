import type { ClientBase } from 'pg';

/** The first key of our advisory locks; the second is a generation, or 0 for the list of generations. */
const LOCKS = 0x646f6f72;

const share = { name: 'share generation', text: 'select pg_advisory_xact_lock_shared($1, $2)' };
const hold = { name: 'hold generation', text: 'select pg_advisory_xact_lock($1, $2)' };
const look = { name: 'generation in use', text: 'select from doorledger.ledger_generation where generation = $1 and retired_at is null' };

/**
 * Whether projectors may write a generation. It stays so until the transaction ends: several projectors share it, and who takes it out
 * of use waits for all of them. Who writes it `alone` waits for them too, and holds later ones up.
 */
export async function isGenerationInUse(client: ClientBase, generation: number, alone = false): Promise<boolean> {
  const [, { rowCount }] = await Promise.all([
    client.query({ ...(alone ? hold : share), values: [LOCKS, generation] }),
    client.query({ ...look, values: [generation] }),
  ]);
  return rowCount === 1;
}

/** Waits for the commits under way and holds later ones up until the transaction ends. */
export async function holdGeneration(client: ClientBase, generation: number): Promise<void> {
  await client.query({ ...hold, values: [LOCKS, generation] });
}

/** One at a time changes which generations there are. */
export const holdGenerations = (client: ClientBase): Promise<void> => holdGeneration(client, 0);

/** No generation has this number: who builds one beside the live one. */
const BUILDING = -1;

/** Until the connection ends, for one at a time. */
export async function tryHoldBuilding(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', [LOCKS, BUILDING]);
  return rows[0]!.held;
}
