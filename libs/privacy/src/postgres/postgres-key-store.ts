import { prepare } from '@doorledger/postgres';
import type { Pool } from 'pg';
import { keyOf, type KeyRow } from '../key-row.js';
import type { ErasedKey, KeyOwner, KeyStore, WrappedKey } from '../key-store.js';
import { keyTable } from './key-table.js';

/** In one order everywhere: hosts that insert the same owners at once wait for each other, and never in a circle. */
const insert = {
  name: 'insert keys',
  text: `insert into doorledger.content_key (key_id, kind, ref, wrapped)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) as given (key_id, kind, ref, wrapped) order by kind, ref
    on conflict (kind, ref) do nothing`,
};
const ofOwners = {
  name: 'keys of owners',
  text: `select key_id, kind, ref, wrapped from unnest($1::text[], $2::text[]) with ordinality as owner (kind, ref, place)
    join doorledger.content_key using (kind, ref) where octet_length(wrapped) > 0 order by place`,
};
const ofId = {
  name: 'key of id',
  text: 'select key_id, kind, ref, wrapped from doorledger.content_key where key_id = $1 and octet_length(wrapped) > 0',
};
const known = { name: 'known key', text: 'select from doorledger.content_key where key_id = $1' };
const count = { name: 'count keys', text: 'select count(*)::int as keys from doorledger.content_key where octet_length(wrapped) > 0' };
const page = {
  name: 'page of keys',
  text: `select key_id, kind, ref, wrapped from doorledger.content_key where key_id > $1 and octet_length(wrapped) > 0
    order by key_id limit $2`,
};
const gone = {
  name: 'page of erased keys',
  text: `select key_id as "keyId", kind, ref from doorledger.content_key where key_id > $1 and octet_length(wrapped) = 0
    order by key_id limit $2`,
};
const learn = {
  name: 'learn of erased keys',
  text: `insert into doorledger.content_key (key_id, kind, ref, wrapped) select key_id, kind, ref, ''
    from unnest($1::text[], $2::text[], $3::text[]) as erased (key_id, kind, ref) on conflict (kind, ref) do nothing`,
};
const rewrap = {
  name: 'rewrap keys',
  text: `update doorledger.content_key k set wrapped = c.now from unnest($1::text[], $2::bytea[], $3::bytea[]) as c (key_id, was, now)
    where k.key_id = c.key_id and k.wrapped = c.was`,
};
/** An erased key is a row without bytes: its id is still known, and its session gets no other one. */
const entomb = {
  name: 'entomb session',
  text: `insert into doorledger.content_key (key_id, kind, ref, wrapped) values ('erased/' || $1::text, 'session', $1::text, '')
    on conflict (kind, ref) do nothing`,
};
const wipe = {
  name: 'wipe key',
  text: `update doorledger.content_key set wrapped = '' where kind = $1 and ref = $2 and octet_length(wrapped) > 0`,
};
const letGo = {
  name: 'let key go',
  text: `update doorledger.content_key set kind = 'erased', ref = key_id, wrapped = '' where kind = $1 and ref = $2`,
};

export interface PostgresKeyStoreOptions {
  /**
   * Whether a missing table is made: only for a log that holds nothing yet. Beside an older log an empty one would seal new content under
   * new keys, and the right one, put back later, would not open it.
   */
  readonly mayCreate?: boolean;
}

/**
 * Content keys in table `doorledger.content_key`, shared by all hosts. It takes the pool over: closing the store ends it.
 * A destroyed key is gone for every query at once. Its wrapped bytes stay in the server's files, in its write-ahead log and in backups
 * until they are overwritten there: they open nothing without the deployment's wrapping key.
 * @throws ContentError `ERR_KEYS_MISSING`, `ERR_KEYS_NEWER`
 */
export async function openPostgresKeyStore(pool: Pool, { mayCreate = true }: PostgresKeyStoreOptions = {}): Promise<KeyStore> {
  await prepare(pool, keyTable(mayCreate));

  async function byOwner(owners: readonly KeyOwner[]): Promise<WrappedKey[]> {
    if (owners.length === 0) return [];
    const { rows } = await pool.query<KeyRow>({ ...ofOwners, values: [owners.map(({ kind }) => kind), owners.map(({ ref }) => ref)] });
    return rows.map(keyOf);
  }

  return {
    insertIfAbsent: async (keys) => {
      const owners = keys.map(({ owner }) => owner);
      const values = [
        keys.map(({ keyId }) => keyId),
        owners.map(({ kind }) => kind),
        owners.map(({ ref }) => ref),
        keys.map(({ wrapped }) => wrapped),
      ];
      await pool.query({ ...insert, values });
      // In a statement of its own, which sees what another host inserted meanwhile.
      return byOwner(owners);
    },
    byId: async (keyId) => {
      const { rows } = await pool.query<KeyRow>({ ...ofId, values: [keyId] });
      return rows[0] && keyOf(rows[0]);
    },
    byOwner,
    knows: async (keyId) => (await pool.query({ ...known, values: [keyId] })).rowCount === 1,
    page: async (after, limit) => (await pool.query<KeyRow>({ ...page, values: [after, limit] })).rows.map(keyOf),
    erased: async (after, limit) => (await pool.query<ErasedKey>({ ...gone, values: [after, limit] })).rows,
    learnErased: async (erased) => {
      await pool.query({
        ...learn,
        values: [erased.map(({ keyId }) => keyId), erased.map(({ kind }) => kind), erased.map(({ ref }) => ref)],
      });
    },
    count: async () => (await pool.query<{ keys: number }>(count)).rows[0]!.keys,
    rewrap: async (changes) => {
      const values = [changes.map(({ keyId }) => keyId), changes.map(({ from }) => from), changes.map(({ to }) => to)];
      await pool.query({ ...rewrap, values });
    },
    destroy: async ({ kind, ref }) => {
      if (kind === 'session') await pool.query({ ...entomb, values: [ref] });
      const { rowCount } = await pool.query({ ...(kind === 'session' ? wipe : letGo), values: [kind, ref] });
      return rowCount === 1;
    },
    close: () => pool.end(),
  };
}
