import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContentKeys } from './content-keys.js';
import { deploymentKeyOf } from './deployment-key.js';
import type { KeyOwner, KeyStore, WrappedKey } from './key-store.js';
import { openContent, sealContent } from './sealed-content.js';
import { openSqliteKeyStore } from './sqlite/sqlite-key-store.js';

const secret = randomBytes(32);
const deployment = () => deploymentKeyOf(Buffer.from(secret));
const session = (n: number): KeyOwner => ({ kind: 'session', ref: n.toString(16).padStart(32, '0') });
const place = { type: 'messages.added', subject: '00000000-0000-4000-8000-000000000001' } as const;

let dir: string;
let store: KeyStore;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-content-'));
  store = openSqliteKeyStore(dir);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

/** A store that tells what it was asked. */
function counted(): KeyStore & { readonly inserts: number[]; readonly reads: number[] } {
  const inserts: number[] = [];
  const reads: number[] = [];
  return {
    ...store,
    inserts,
    reads,
    insertIfAbsent: (rows) => (inserts.push(rows.length), store.insertIfAbsent(rows)),
    byOwner: (owners) => (reads.push(owners.length), store.byOwner(owners)),
  };
}

it('X1 uses the stored key on both of two hosts that meet a session at once', async () => {
  const [one, other] = [new ContentKeys(deployment(), store), new ContentKeys(deployment(), store)];
  const [a, b] = await Promise.all([one.keyFor(session(1)), other.keyFor(session(1))]);
  expect(b.keyId).toBe(a.keyId);
  expect((await openContent(other, sealContent(a, 'hello', place), place)).toString()).toBe('hello');
});

it('X1 takes the key another host stored between its own look and its own insert', async () => {
  let rival: WrappedKey[] = [];
  const raced: KeyStore = {
    ...counted(),
    insertIfAbsent: async (rows) => {
      const first = await new ContentKeys(deployment(), store).keyFor(rows[0]!.owner);
      rival = [(await store.byId(first.keyId))!];
      return store.insertIfAbsent(rows);
    },
  };
  const key = await new ContentKeys(deployment(), raced).keyFor(session(1));
  expect(key.keyId).toBe(rival[0]!.keyId);
});

it('X1 reads and writes once for everything asked in one turn of the event loop', async () => {
  const watched = counted();
  const keys = new ContentKeys(deployment(), watched);
  const asked = await Promise.all([1, 2, 3, 2, 1].map((n) => keys.keyFor(session(n))));
  expect(new Set(asked.map((k) => k.keyId)).size).toBe(3);
  await keys.keyFor(session(2));
  expect([watched.reads, watched.inserts]).toEqual([[3], [3]]);
});

it('X1 writes nothing for a session whose key is stored already', async () => {
  const { keyId } = await new ContentKeys(deployment(), store).keyFor(session(1));
  const watched = counted();
  expect((await new ContentKeys(deployment(), watched).keyFor(session(1))).keyId).toBe(keyId);
  expect(watched.inserts).toEqual([]);
});

it('X1 keeps keys of a session, a person and a boot apart even under one reference', async () => {
  const keys = new ContentKeys(deployment(), store);
  const ref = 'a'.repeat(32);
  const ids = await Promise.all((['session', 'person', 'boot'] as const).map(async (kind) => (await keys.keyFor({ kind, ref })).keyId));
  expect(new Set(ids).size).toBe(3);
});

it('X1 stores no content key in the clear', async () => {
  const { key, keyId } = await new ContentKeys(deployment(), store).keyFor(session(1));
  const row = await store.byId(keyId);
  expect(row!.wrapped).toHaveLength(60);
  expect(row!.wrapped.includes(key.export())).toBe(false);
});

it('X1 and X2 name a lost key', async () => {
  const keys = new ContentKeys(deployment(), store);
  const content = sealContent(await keys.keyFor(session(1)), 'a person said this', place);
  expect(await keys.destroy(session(1))).toBe(true);
  await expect(openContent(keys, content, place)).rejects.toMatchObject({
    code: 'ERR_CONTENT_KEY_LOST',
    message: expect.not.stringContaining('person said'),
  });
  await expect(keys.keyFor(session(1))).rejects.toMatchObject({ code: 'ERR_CONTENT_KEY_LOST' });
});

it('X2 keeps nothing of a key that was dropped while it was read', async () => {
  const { keyId } = await new ContentKeys(deployment(), store).keyFor(session(1));
  const late = new ContentKeys(deployment(), {
    ...store,
    byId: async (id) => {
      const row = await store.byId(id);
      await store.destroy(session(1));
      late.drop(session(1));
      return row;
    },
  });
  await late.keyById(keyId);
  await expect(late.keyById(keyId)).rejects.toMatchObject({ code: 'ERR_CONTENT_KEY_LOST' });
});

it('X2 makes a person who comes back a key of their own', async () => {
  const keys = new ContentKeys(deployment(), store);
  const person = { kind: 'person', ref: session(1).ref } as const;
  const { keyId } = await keys.keyFor(person);
  expect([await keys.destroy(person), await keys.destroy(person)]).toEqual([true, false]);
  expect((await keys.keyFor(person)).keyId).not.toBe(keyId);
  expect([await store.knows(keyId), await store.byId(keyId)]).toEqual([true, undefined]);
});

it('X1 refuses keys wrapped under another deployment key, or moved to another owner', async () => {
  const { keyId } = await new ContentKeys(deployment(), store).keyFor(session(1));
  const stranger = new ContentKeys(deploymentKeyOf(randomBytes(32)), store);
  await expect(stranger.keyById(keyId)).rejects.toMatchObject({ code: 'ERR_KEY_MISMATCH' });
  await expect(stranger.keyFor(session(1))).rejects.toMatchObject({ code: 'ERR_KEY_MISMATCH' });

  const row = (await store.byId(keyId))!;
  const moved: KeyStore = { ...counted(), byOwner: async () => [{ ...row, owner: session(2) }] };
  await expect(new ContentKeys(deployment(), moved).keyFor(session(2))).rejects.toMatchObject({ code: 'ERR_KEY_MISMATCH' });
});

it('X1 fails only those who asked when the store is down, and asks again next time', async () => {
  let down = true;
  const keys = new ContentKeys(deployment(), {
    ...counted(),
    byOwner: (owners) => (down ? Promise.reject(new Error('down')) : store.byOwner(owners)),
  });
  await expect(Promise.all([keys.keyFor(session(1)), keys.keyFor(session(1))])).rejects.toThrow('down');
  down = false;
  expect((await keys.keyFor(session(1))).keyId).toBeDefined();
});
