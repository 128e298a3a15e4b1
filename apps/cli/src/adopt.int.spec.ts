import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventOf, partitionCounts, topics } from '@doorledger/contracts';
import { FOLD_VERSION, checkIdentity, establishIdentity, openSqliteLog } from '@doorledger/event-log';
import { LedgerGenerations, rebuild } from '@doorledger/ledger';
import { loadDeploymentKey } from '@doorledger/privacy';
import Database from 'better-sqlite3';
import { runCli } from './testing/run-cli.js';
import { appendRenewal, openWriter } from './testing/sample-log.js';

// Each command is a process of its own, and loads its sources.
jest.setTimeout(60_000);

const KEY = 'ab'.repeat(32);
const keyCheck = loadDeploymentKey({ configured: KEY, dir: '', mayCreate: false }).check;
const WAS = '00000000-0000-4000-8000-000000000001';
const origin = { source: '/doorledger/main/host', now: () => 0 };

let cwd: string;
let data: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'doorledger-cli-'));
  data = join(cwd, 'data');
});
afterEach(() => rmSync(cwd, { recursive: true }));

interface Printed {
  readonly isAdopted: boolean;
  readonly logId: { readonly was: string | null; readonly is: string };
  readonly changes: readonly object[];
  readonly lost: readonly object[];
}
const run = async (args: readonly string[] = [], key = KEY) => {
  const ended = await runCli(['adopt', ...args], { cwd, env: { DOORLEDGER_KEY: key } });
  return { ...ended, printed: (ended.stdout ? JSON.parse(ended.stdout) : undefined) as Printed };
};

/** A log of a fact or two that says it lies at `place`; by default where it does. */
async function begin(place?: string): Promise<void> {
  const log = await openWriter(data);
  const identity = { logId: WAS, place: place ?? log.place, topics: Object.fromEntries(log.topics), foldVersion: FOLD_VERSION, keyCheck };
  const genesis = { key: 'genesis', ...encode(eventOf({ type: 'log.genesis', data: identity }, origin)) };
  await log.append(topics.system.name, [genesis]);
  await appendRenewal(log, 1);
  await log.close();
}

async function identityNow() {
  const log = await openSqliteLog({ dir: data, role: 'reader', topics: partitionCounts('embedded') });
  return checkIdentity(log, { keyCheck, foldVersion: FOLD_VERSION }).finally(() => log.close());
}

it('K8 says what is otherwise and writes nothing without an operator’s word, and makes it the log with one', async () => {
  await begin('elsewhere');
  await expect(identityNow()).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });
  const asked = await run();
  expect(asked).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^It was written at elsewhere .*\(ERR_NOT_CONFIRMED\)\n$/s),
  });
  await expect(identityNow()).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });
  const { code, printed } = await run(['--yes-i-know']);
  expect({ code, printed }).toMatchObject({ code: 0, printed: { isAdopted: true, logId: { was: WAS }, changes: [{ of: 'place' }] } });
  const adopted = await identityNow();
  expect(adopted!.logId).toBe(printed.logId.is);
  expect(adopted!.logId).not.toBe(WAS);
});

it('K8 and L8 write nothing where there is nothing to adopt and no fold to raise', async () => {
  await begin();
  for (const args of [[], ['--yes-i-know'], ['--fold', '--yes-i-know']]) {
    const { code, printed, stderr } = await run(args);
    expect({ code, printed }).toMatchObject({ code: 0, printed: { isAdopted: false, logId: { was: WAS, is: WAS }, changes: [] } });
    expect(stderr).toContain('nothing to adopt');
  }
});

it('K8 refuses another deployment key by name, and takes it where it is named', async () => {
  await begin();
  const other = 'cd'.repeat(32);
  expect(await run(['--yes-i-know'], other)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/\(ERR_LOG_OTHER_KEY\)\n$/),
  });
  expect(await run(['--other-key'], other)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/\(ERR_NOT_CONFIRMED\)\n$/),
  });
  const { printed } = await run(['--other-key', '--yes-i-know'], other);
  expect(printed).toMatchObject({ isAdopted: true, changes: [{ of: 'key' }] });
  await expect(identityNow()).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_KEY' });
});

it('K8 and X4 refuse beside a process that writes the log', async () => {
  await begin('elsewhere');
  const writer = await openWriter(data);
  const { code, stdout, stderr } = await run(['--yes-i-know']);
  await writer.close();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/\(ERR_DATA_IN_USE\)\n$/);
  await expect(identityNow()).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });
});

it('K8 names the partitions whose records are gone, and the log is another one then', async () => {
  await begin();
  const log = await openWriter(data);
  const { store } = new LedgerGenerations(data).openLive();
  const upTo: Record<string, number[]> = {};
  for (const topic of log.topics.keys()) upTo[topic] = (await log.ends(topic)).map(({ end }) => end);
  await rebuild({ log, store, upTo });
  await store.close();
  await log.close();
  const ledger = new Database(join(data, 'ledger.1.db'));
  ledger.exec(`update projection_offset set next = 9 where topic = '${topics.session.name}' and next > 0`);
  ledger.close();
  const { code, printed, stderr } = await run(['--yes-i-know']);
  expect({ code, printed }).toMatchObject({
    code: 0,
    printed: { isAdopted: true, changes: [], lost: [{ topic: topics.session.name, end: 1, read: 9 }] },
  });
  expect(stderr).toContain('doorledger replay --switch');
  expect((await identityNow())!.logId).toBe(printed.logId.is);
});

it('K8 gives a log that does not say who it is an identity, which a host then goes by', async () => {
  const log = await openWriter(data);
  await appendRenewal(log, 1);
  await log.close();
  const { printed } = await run(['--yes-i-know']);
  expect(printed).toMatchObject({ isAdopted: true, logId: { was: null } });
  const writer = await openWriter(data);
  const expected = { keyCheck, foldVersion: FOLD_VERSION, newLogId: () => WAS };
  expect(await establishIdentity(writer, expected, origin).finally(() => writer.close())).toMatchObject({ logId: printed.logId.is });
});
