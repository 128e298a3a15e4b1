import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namedFileError, openSqliteFile } from '@doorledger/event-log';
import { ContentError } from '../errors.js';
import { keyOf, type KeyRow } from '../key-row.js';
import type { ErasedKey, KeyOwner, KeyStore } from '../key-store.js';

const FORMAT = 1;
/** An erased key is a row without bytes: its id is still known, and its session gets no other one. */
const LIVE = 'length(wrapped) > 0';
const SELECT = 'select key_id, kind, ref, wrapped from content_key';
const TABLE = `create table content_key (
  kind text not null, ref text not null, key_id text not null unique, wrapped blob not null, primary key (kind, ref)
) without rowid`;

export interface SqliteKeyStoreOptions {
  /**
   * Whether a missing file is made: only for a log that holds nothing yet. Beside an older log an empty file would seal new
   * content under new keys, and the right file, put back later, would not open it.
   */
  readonly mayCreate?: boolean;
}

/**
 * Content keys in `keys.db` of the data folder (K14). The caller holds the folder's writer lock: one process writes it.
 * @throws ContentError `ERR_KEYS_MISSING`; LogRefusedError when the file is torn, foreign or of another release
 */
export function openSqliteKeyStore(dir: string, { mayCreate = true }: SqliteKeyStoreOptions = {}): KeyStore {
  const path = join(dir, 'keys.db');
  if (!mayCreate && !existsSync(path))
    throw new ContentError(
      'ERR_KEYS_MISSING',
      'There is no keys.db in the data folder, and content of this log is sealed under its keys. Put it back from a backup.',
    );
  const file = openSqliteFile(path, {
    kind: 'keys',
    role: 'writer',
    synchronous: 'FULL',
    format: FORMAT,
    create: (db) => db.exec(TABLE),
  });
  const { db } = file;
  // Deleted keys are overwritten in the file, not left in free pages (X2).
  db.pragma('secure_delete = ON');
  // Commits happen on the caller's thread: with the space there already, one costs a single flush of the disk.
  file.write(() => {});
  file.reserveWal();
  const insert = db.prepare<[string, string, string, Buffer]>(
    'insert into content_key (key_id, kind, ref, wrapped) values (?, ?, ?, ?) on conflict (kind, ref) do nothing',
  );
  const ofOwner = db.prepare<[string, string], KeyRow>(`${SELECT} where kind = ? and ref = ? and ${LIVE}`);
  const ofId = db.prepare<[string], KeyRow>(`${SELECT} where key_id = ? and ${LIVE}`);
  const known = db.prepare<[string], number>('select 1 from content_key where key_id = ?').pluck();
  const all = db.prepare<[], number>(`select count(*) from content_key where ${LIVE}`).pluck();
  const after = db.prepare<[string, number], KeyRow>(`${SELECT} where key_id > ? and ${LIVE} order by key_id limit ?`);
  const gone = db.prepare<[string, number], ErasedKey>(
    `select key_id as keyId, kind, ref from content_key where key_id > ? and not ${LIVE} order by key_id limit ?`,
  );
  const change = db.prepare<[Buffer, string, Buffer]>('update content_key set wrapped = ? where key_id = ? and wrapped = ?');
  const wipe = db.prepare<[string, string]>(`update content_key set wrapped = x'' where kind = ? and ref = ? and ${LIVE}`);
  const letGo = db.prepare<[string, string]>(
    "update content_key set kind = 'erased', ref = key_id, wrapped = x'' where kind = ? and ref = ?",
  );

  const rowsOf = (owners: readonly KeyOwner[]) => owners.flatMap(({ kind, ref }) => ofOwner.all(kind, ref).map(keyOf));
  /** A damaged file or a full disk is named, as it is at the start. */
  const named = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw namedFileError(error, path);
    }
  };

  return {
    // Read back after the commit, so nothing is used that a crash could take away.
    insertIfAbsent: (rows) =>
      named(() => {
        file.write(() => {
          for (const { keyId, owner, wrapped } of rows) insert.run(keyId, owner.kind, owner.ref, wrapped);
        });
        return rowsOf(rows.map((row) => row.owner));
      }),
    byId: (keyId) =>
      named(() => {
        const row = ofId.get(keyId);
        return row && keyOf(row);
      }),
    byOwner: (owners) => named(() => rowsOf(owners)),
    knows: (keyId) => named(() => known.get(keyId) !== undefined),
    page: (from, limit) => named(() => after.all(from, limit).map(keyOf)),
    erased: (from, limit) => named(() => gone.all(from, limit)),
    learnErased: (erased) =>
      named(() => {
        file.write(() => {
          for (const { keyId, kind, ref } of erased) insert.run(keyId, kind, ref, Buffer.alloc(0));
        });
      }),
    count: () => named(() => all.get()!),
    rewrap: (changes) =>
      named(() => {
        file.write(() => {
          for (const { keyId, from, to } of changes) change.run(to, keyId, from);
        });
      }),
    destroy: ({ kind, ref }) =>
      named(() => {
        const { changes } = file.write(() => {
          if (kind !== 'session') return letGo.run(kind, ref);
          insert.run(`erased/${ref}`, kind, ref, Buffer.alloc(0));
          return wipe.run(kind, ref);
        });
        // The page as it was stays in the write-ahead file until that is emptied; a reader in a long transaction keeps it.
        if (!file.emptyWal())
          throw new ContentError(
            'ERR_ERASE_INCOMPLETE',
            'The key is deleted, but a reader of keys.db still holds the old bytes. Erase again in a moment.',
          );
        return changes > 0;
      }),
    close: async () => file.close(),
  };
}
