import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteFile } from '@doorledger/event-log';
import type { KeyStore } from '../key-store.js';
import { keyStoreContract } from '../testing/key-store.contract.js';
import { openSqliteKeyStore } from './sqlite-key-store.js';

const newFolder = () => mkdtempSync(join(tmpdir(), 'doorledger-keys-'));

/** One process has one writer; those who share it take turns in closing. */
function sharedStore(dir: string): () => Promise<KeyStore> {
  let store: KeyStore | undefined;
  let users = 0;
  return async () => {
    store ??= openSqliteKeyStore(dir);
    users += 1;
    const shared = store;
    const leave = async () => {
      users -= 1;
      if (users > 0) return;
      store = undefined;
      await shared.close();
    };
    return { ...shared, close: leave };
  };
}

keyStoreContract('sqlite', async () => {
  const dir = newFolder();
  return { open: sharedStore(dir), dispose: async () => rmSync(dir, { recursive: true }) };
});

describe('a destroyed key', () => {
  const row = { keyId: randomUUID(), owner: { kind: 'session' as const, ref: 'a'.repeat(32) }, wrapped: randomBytes(60) };
  let dir: string;
  let store: KeyStore;
  const filesWithKey = () => readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes(row.wrapped));

  beforeEach(async () => {
    dir = newFolder();
    store = openSqliteKeyStore(dir);
    await store.insertIfAbsent([row]);
  });
  afterEach(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });

  it('X2 leaves no byte in the files', async () => {
    expect(filesWithKey()).not.toEqual([]);
    await store.destroy(row.owner);
    expect(filesWithKey()).toEqual([]);
  });

  it('X2 is not called erased while a reader holds its bytes', async () => {
    const reader = openSqliteFile(join(dir, 'keys.db'), { kind: 'keys', role: 'reader', synchronous: 'FULL', format: 1 });
    reader.db.exec('begin; select * from content_key');
    await expect(store.destroy(row.owner)).rejects.toMatchObject({ code: 'ERR_ERASE_INCOMPLETE' });
    expect(await store.byId(row.keyId)).toBeUndefined();
    reader.db.exec('commit');
    reader.close();
    expect(await store.destroy(row.owner)).toBe(false);
    expect(filesWithKey()).toEqual([]);
  });
});

it('X1 makes no new keys.db where content lies under an old one', () => {
  const dir = newFolder();
  expect(() => openSqliteKeyStore(dir, { mayCreate: false })).toThrow(expect.objectContaining({ code: 'ERR_KEYS_MISSING' }));
  expect(readdirSync(dir)).toEqual([]);
  rmSync(dir, { recursive: true });
});

it('K14 refuses by name a keys.db that is something else', () => {
  const dir = newFolder();
  writeFileSync(join(dir, 'keys.db'), 'not a database, but long enough to look at'.repeat(10));
  expect(() => openSqliteKeyStore(dir)).toThrow(expect.objectContaining({ code: 'ERR_FILE_FOREIGN' }));
  rmSync(dir, { recursive: true });
});
