import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContentKeys } from './content-keys.js';
import { loadDeploymentKey } from './key-file.js';
import type { KeyOwner, KeyStore } from './key-store.js';
import { rewrapKeys } from './rewrap-keys.js';
import { openSqliteKeyStore } from './sqlite/sqlite-key-store.js';
import { beginRotation, endRotation } from './wrapping-keys.js';

const KEYS = 600;
const owners = Array.from({ length: KEYS }, (_, n): KeyOwner => ({ kind: 'session', ref: n.toString(16).padStart(32, '0') }));

let dir: string;
let store: KeyStore;
const key = () => loadDeploymentKey({ dir, mayCreate: true });
const file = () => readFileSync(join(dir, 'wrapping.key'), 'utf8');
/** Whether every key opens, as a process that starts now would open it. */
const allOpen = async () => {
  const keys = new ContentKeys(key(), store);
  return (await Promise.all(owners.map((owner) => keys.keyFor(owner)))).map(({ key: one }) => one.export().toString('hex'));
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-rotation-'));
  store = openSqliteKeyStore(dir);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

it('X1 wraps every content key under a new key, K8 and keeps the references and the check value', async () => {
  const before = await allOpen();
  const former = key();
  beginRotation(dir);
  const seen: number[] = [];
  expect(await rewrapKeys({ keys: store, wrapping: key().wrapping, onProgress: (done) => seen.push(done) })).toBe(KEYS);
  endRotation(dir);
  expect(await allOpen()).toEqual(before);
  expect(key()).toMatchObject({ check: former.check });
  expect(key().reference.equals(former.reference)).toBe(true);
  await expect(new ContentKeys(former, store).keyFor(owners[0]!)).rejects.toMatchObject({ code: 'ERR_KEY_MISMATCH' });
  expect(Math.max(...seen)).toBe(KEYS);
  expect(statSync(join(dir, 'wrapping.key')).mode & 0o777).toBe(0o600);
  expect(file().trim().split('\n')).toHaveLength(1);
});

it.each([0, 1])('X1 goes on with a rotation that ended after %i batches, under the same new key', async (batches) => {
  const before = await allOpen();
  beginRotation(dir);
  const begun = file();
  let left = batches;
  const dying: KeyStore = { ...store, rewrap: (changes) => (left-- > 0 ? store.rewrap(changes) : Promise.reject(new Error('killed'))) };
  await expect(rewrapKeys({ keys: dying, wrapping: key().wrapping })).rejects.toThrow('killed');
  expect(await allOpen()).toEqual(before);
  beginRotation(dir);
  expect(file()).toBe(begun);
  expect(await rewrapKeys({ keys: store, wrapping: key().wrapping })).toBe(KEYS - batches * 500);
  endRotation(dir);
  expect(await allOpen()).toEqual(before);
});

it('X1 wraps a key that a host added under the former one meanwhile', async () => {
  await allOpen();
  const former = key();
  beginRotation(dir);
  const late: KeyOwner = { kind: 'person', ref: 'f'.repeat(32) };
  let isAdded = false;
  const beside: KeyStore = {
    ...store,
    rewrap: async (changes) => {
      await store.rewrap(changes);
      // Before what was read: only another reading of all finds it.
      if (!isAdded) await new ContentKeys(former, store).keyFor(late);
      isAdded = true;
    },
  };
  expect(await rewrapKeys({ keys: beside, wrapping: key().wrapping })).toBe(KEYS + 1);
  endRotation(dir);
  expect((await new ContentKeys(key(), store).keyFor(late)).keyId).toBeDefined();
});

it('X1 refuses to rotate keys that open under none of those it knows', async () => {
  await allOpen();
  writeFileSync(join(dir, 'wrapping.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  await expect(rewrapKeys({ keys: store, wrapping: key().wrapping })).rejects.toMatchObject({ code: 'ERR_KEY_MISMATCH' });
});

it('X1 takes wrapping keys from the configuration, the first one first, and says which setting is wrong', () => {
  const [one, two] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('hex')];
  const derived = key().wrapping[0]!;
  const { wrapping } = loadDeploymentKey({ dir, mayCreate: false, wrapping: `${one}, deployment,${two}` });
  expect([wrapping.length, wrapping[1]!.equals(derived)]).toEqual([3, true]);
  expect(() => loadDeploymentKey({ dir, mayCreate: false, wrapping: 'short' })).toThrow(/DOORLEDGER_WRAPPING_KEYS/);
});
