import { generateKeyPairSync, hash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCheckpoints } from '../verify/read-checkpoints.js';
import type { PartitionHead } from './checkpoint.js';
import { CheckpointFolder } from './checkpoint-folder.js';
import { Checkpointer } from './checkpointer.js';
import { loadSigningKey, publicPem, readPublicKeys } from './signing-key.js';

let dir: string;
let folder: CheckpointFolder;
let heads: PartitionHead[];
let problems: unknown[];
/** How often what was read of the log was asked for. */
let asked: number;
const open: Checkpointer[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-proof-'));
  folder = new CheckpointFolder(join(dir, 'checkpoints'));
  heads = [headAt(1), { ...headAt(4), partition: 1 }];
  problems = [];
  asked = 0;
});
afterEach(async () => {
  for (const checkpointer of open.splice(0)) await checkpointer.close();
  rmSync(dir, { recursive: true });
});

const headAt = (next: number): PartitionHead => ({
  topic: 'doorledger.session.v1',
  partition: 0,
  from: 0,
  next,
  head: hash('sha256', `head ${next}`),
});
const keyFile = () => join(dir, 'checkpoint-key.pem');
const readHeads = async () => {
  asked++;
  return heads;
};
async function begin(everyRecords = 1000, everyMs = 3_600_000) {
  const key = loadSigningKey(keyFile());
  const onProblem = (error: unknown) => problems.push(error);
  const checkpointer = await Checkpointer.begin({ folder, key, place: 'here', heads: readHeads, everyMs, everyRecords, onProblem });
  open.push(checkpointer);
  return checkpointer;
}
async function read(pem?: string) {
  const read: PartitionHead[] = [];
  const keys = readPublicKeys('the published keys', pem ?? (await folder.publicKeys()));
  return { ...(await readCheckpoints(folder, keys, (head) => read.push(head))), heads: read };
}
const fileOf = (series: number, number: number) =>
  join(
    folder.path,
    readdirSync(folder.path)
      .filter((name) => name !== 'public-keys.pem')
      .sort()[series]!,
    `${String(number).padStart(8, '0')}.json`,
  );

it('V1 signs the chains of all partitions, over several lives, each checkpoint naming the one before', async () => {
  const first = await begin();
  await first.write();
  heads = [headAt(2), heads[1]!];
  await first.close();
  heads = [headAt(3), heads[1]!];
  await (await begin()).close();
  expect(await read()).toEqual({ checkpoints: 3, heads: [headAt(1), heads[1], headAt(2), heads[1], headAt(3), heads[1]] });
});

it('V1 writes one at the first move and after so many records, and none where nothing moved', async () => {
  const checkpointer = await begin(10);
  const signed = async () => {
    await new Promise(setImmediate);
    return asked;
  };
  checkpointer.moved(1);
  expect(await signed()).toBe(1);
  checkpointer.moved(9);
  expect(await signed()).toBe(1);
  checkpointer.moved(1);
  await checkpointer.close();
  expect([asked, await read()]).toMatchObject([3, { checkpoints: 1 }]);
});

it('V1 tells once that none can be written, goes on, and covers later what was missed', async () => {
  const checkpointer = await begin();
  rmSync(folder.path, { recursive: true });
  writeFileSync(folder.path, '');
  await checkpointer.write();
  await checkpointer.write();
  expect(problems).toHaveLength(1);
  rmSync(folder.path);
  await folder.publish(publicPem(loadSigningKey(keyFile()).publicKey));
  await checkpointer.write();
  expect(await read()).toMatchObject({ checkpoints: 1, heads });
});

it('V1 makes a key once, for its owner alone, and uses none that is open to others or no such key', async () => {
  const key = loadSigningKey(keyFile());
  expect([statSync(keyFile()).mode & 0o777, loadSigningKey(keyFile()).id, readdirSync(dir)]).toEqual([
    0o600,
    key.id,
    ['checkpoint-key.pem'],
  ]);
  chmodSync(keyFile(), 0o644);
  expect(() => loadSigningKey(keyFile())).toThrow(expect.objectContaining({ code: 'ERR_CHECKPOINT_KEY_MODE' }));
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const text of ['no key', other]) {
    writeFileSync(keyFile(), text, { mode: 0o600 });
    chmodSync(keyFile(), 0o600);
    expect(() => loadSigningKey(keyFile())).toThrow(expect.objectContaining({ code: 'ERR_CHECKPOINT_KEY' }));
  }
});

it('V1 refuses a folder that cannot be written before anything is signed', async () => {
  writeFileSync(folder.path, 'a file');
  await expect(begin()).rejects.toMatchObject({ code: 'ERR_CHECKPOINTS_UNWRITABLE' });
});

describe('V2 finds a checkpoint', () => {
  beforeEach(async () => {
    const first = await begin();
    for (const next of [1, 2, 3]) {
      heads = [headAt(next)];
      await first.write();
    }
    heads = [headAt(4)];
    await (await begin()).close();
    expect(await read()).toMatchObject({ checkpoints: 4 });
  });

  it.each<[string, () => void, string]>([
    ['that was removed', () => rmSync(fileOf(0, 2)), '/2 is missing'],
    ['that a later life names and is gone', () => rmSync(fileOf(0, 3)), '/1 names another one'],
    ['that was swapped with another', () => renameSync(fileOf(0, 3), fileOf(0, 2)), '/2 is not signed'],
    ['that was changed', () => change(fileOf(0, 1)), '/1 is not signed'],
    ['that is no document', () => writeFileSync(fileOf(0, 1), '{'), '/1 is not signed'],
  ])('%s', async (_what, tamper, sentence) => {
    tamper();
    expect(await read()).toMatchObject({ violation: { statement: 'checkpoints', sentence: expect.stringContaining(sentence) as string } });
  });

  it('that another key signed than the auditor was given', async () => {
    const other = publicPem(generateKeyPairSync('ed25519').publicKey);
    expect(await read(other)).toMatchObject({ checkpoints: 0, violation: { statement: 'checkpoints' } });
  });

  function change(file: string) {
    expect(existsSync(file)).toBe(true);
    const envelope = JSON.parse(readFileSync(file, 'utf8')) as { payload: string };
    const text = Buffer.from(envelope.payload, 'base64').toString().replace('"next":1', '"next":2');
    writeFileSync(file, JSON.stringify({ ...envelope, payload: Buffer.from(text).toString('base64') }));
  }
});
