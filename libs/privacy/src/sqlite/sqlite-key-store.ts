import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { KeyOwner, KeyStore, WrappedKey } from '../key-store.js';

interface Row {
  readonly key_id: string;
  readonly kind: KeyOwner['kind'];
  readonly ref: string;
  readonly wrapped: Buffer;
}

const toKey = (row: Row): WrappedKey => ({ keyId: row.key_id, owner: { kind: row.kind, ref: row.ref }, wrapped: row.wrapped });

/** Content keys in `keys.db` of the data folder (K14). Several processes may hold it open. */
export function openSqliteKeyStore(dir: string): KeyStore {
  const db = openKeysFile(join(dir, 'keys.db'));
  const insert = db.prepare<[string, string, string, Buffer]>(
    'insert into content_key (key_id, kind, ref, wrapped) values (?, ?, ?, ?) on conflict (kind, ref) do nothing',
  );
  const ofOwner = db.prepare<[string, string], Row>('select key_id, kind, ref, wrapped from content_key where kind = ? and ref = ?');
  const ofId = db.prepare<[string], Row>('select key_id, kind, ref, wrapped from content_key where key_id = ?');
  const remove = db.prepare<[string, string]>('delete from content_key where kind = ? and ref = ?');

  const rowsOf = (owners: readonly KeyOwner[]) => owners.flatMap(({ kind, ref }) => ofOwner.all(kind, ref).map(toKey));
  const insertAll = db.transaction((rows: readonly WrappedKey[]) => {
    for (const { keyId, owner, wrapped } of rows) insert.run(keyId, owner.kind, owner.ref, wrapped);
  });

  return {
    // Read back after the commit, so nothing is used that a crash could take away.
    insertIfAbsent: async (rows) => {
      insertAll.immediate(rows);
      return rowsOf(rows.map((row) => row.owner));
    },
    byId: async (keyId) => {
      const row = ofId.get(keyId);
      return row && toKey(row);
    },
    byOwner: async (owners) => rowsOf(owners),
    destroy: async ({ kind, ref }) => {
      const { changes } = remove.run(kind, ref);
      // The old page stays in the write-ahead file until it is emptied.
      if (changes > 0) db.pragma('wal_checkpoint(TRUNCATE)');
      return changes > 0;
    },
    close: async () => {
      db.close();
    },
  };
}

function openKeysFile(path: string): Database.Database {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  // Deleted keys are overwritten in the file, not left in free pages (X2).
  db.pragma('secure_delete = ON');
  db.exec(`create table if not exists content_key (
    kind text not null, ref text not null, key_id text not null unique, wrapped blob not null, primary key (kind, ref)
  ) without rowid`);
  return db;
}
