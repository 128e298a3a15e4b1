import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { LedgerTables } from '../schema/index.js';
import { endPool } from './pool.js';
import { reached } from './reached.js';

/** A server keeps each named statement for the life of a connection, and lists of keys have many lengths. */
const MAX_NAMED = 200;

/** Kysely over a pool, with its reads prepared once per connection and its outages named (`reached`). Destroying it ends the pool. */
export function kyselyOver(pool: Pool): Kysely<LedgerTables> {
  const names = new Map<string, string>();
  const known = new WeakMap<PoolClient, PostgresPoolClient>();

  function nameOf(text: string): string | undefined {
    const name = names.get(text);
    if (name !== undefined || names.size >= MAX_NAMED || !text.startsWith('select')) return name;
    names.set(text, `q${names.size}`);
    return names.get(text);
  }

  function naming(client: PoolClient): PostgresPoolClient {
    const query = (text: string, values: unknown[]) => reached(() => client.query({ name: nameOf(text), text, values }));
    return { query: query as unknown as PostgresPoolClient['query'], release: (isBroken?: boolean) => client.release(isBroken) };
  }

  return new Kysely({
    dialect: new PostgresDialect({
      pool: {
        // Kysely knows a connection by its object.
        connect: async () => {
          const client = await reached(() => pool.connect());
          let named = known.get(client);
          if (!named) known.set(client, (named = naming(client)));
          return named;
        },
        end: () => endPool(pool),
      },
    }),
  });
}
