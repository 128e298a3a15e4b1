import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyStoreContract } from '../testing/key-store.contract.js';
import { openSqliteKeyStore } from './sqlite-key-store.js';

const newFolder = () => mkdtempSync(join(tmpdir(), 'doorledger-keys-'));

keyStoreContract('sqlite', async () => {
  const dir = newFolder();
  return { open: async () => openSqliteKeyStore(dir), dispose: async () => rmSync(dir, { recursive: true }) };
});

it('X2 leaves no byte of a destroyed key in the files', async () => {
  const dir = newFolder();
  const store = openSqliteKeyStore(dir);
  const row = { keyId: randomUUID(), owner: { kind: 'session' as const, ref: 'a'.repeat(32) }, wrapped: randomBytes(60) };
  await store.insertIfAbsent([row]);
  const found = () => readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes(row.wrapped));
  expect(found()).not.toEqual([]);
  await store.destroy(row.owner);
  expect(found()).toEqual([]);
  await store.close();
  rmSync(dir, { recursive: true });
});
