import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { loadConfig } from '@doorledger/config';
import { partitionCounts, topics } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { LedgerGenerations, rebuild } from '@doorledger/ledger';
import { openTruth } from '../../../host/src/open-truth.js';
import { doctor } from '../commands/doctor.js';
import { Output } from '../output.js';
import { appendRenewal } from '../testing/sample-log.js';
import { folderChecks } from './folder-checks.js';
import { clockChecks } from './log-checks.js';
import { processChecks } from './process-checks.js';

interface Answer {
  readonly code: number;
  readonly findings: readonly {
    readonly about: string;
    readonly isWell: boolean;
    readonly code?: string;
    readonly says: string;
    readonly mend?: string;
  }[];
}

let root: string;
let sample: string;
let copies = 0;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'doorledger-doctor-'));
  sample = join(root, 'sample');
  const truth = await openTruth(configOn(sample), { onWaiting: () => {}, signal: new AbortController().signal });
  await appendRenewal(truth.log, 1);
  await foldInto(sample, truth.log);
  await truth.close();
});
afterAll(() => rmSync(root, { recursive: true }));

function copy(): string {
  const to = join(root, `copy-${copies++}`);
  cpSync(sample, to, { recursive: true });
  return to;
}

/** What a projector would have done by now. */
async function foldInto(dir: string, log: EventLog): Promise<void> {
  const { store } = new LedgerGenerations(dir).openLive();
  const ends = await Promise.all(
    [...log.topics.keys()].map(async (topic) => [topic, (await log.ends(topic)).map(({ end }) => end)] as const),
  );
  await rebuild({ log, store, upTo: Object.fromEntries(ends) });
  await store.close();
}

const writer = (dir: string) => openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });

const configOn = (dir: string, env: Record<string, string> = {}) =>
  loadConfig({ cwd: root, env: { DOORLEDGER_DATA: dir, DOORLEDGER_PORT: '0', DOORLEDGER_PROJECTOR_PORT: '0', ...env }, needsKey: false });

async function examined(dir: string, env?: Record<string, string>): Promise<Answer> {
  const stream = new PassThrough();
  const code = await doctor({ config: configOn(dir, env), output: new Output(stream), say: () => {} }, { json: true });
  return { code, ...(JSON.parse(String(stream.read())) as Omit<Answer, 'code'>) };
}
const wrongIn = ({ findings }: Answer) => findings.filter(({ isWell }) => !isWell).map(({ about, code }) => [about, code]);
/** But for what SQLite needs beside a file to read it. */
const filesOf = (dir: string) =>
  readdirSync(dir)
    .filter((name) => !/-(shm|wal)$/.test(name))
    .map((name) => [name, statSync(join(dir, name)).size, statSync(join(dir, name)).mtimeMs]);

it('finds nothing wrong with a sound folder, says what it looked at, and changes nothing', async () => {
  const dir = copy();
  const before = filesOf(dir);
  const answer = await examined(dir);
  expect([wrongIn(answer), answer.code]).toEqual([[], 0]);
  expect(new Set(answer.findings.map(({ about }) => about))).toEqual(
    new Set([
      'settings',
      'data folder',
      'file modes',
      'disk',
      'log',
      'hosts',
      'key',
      'clock',
      'ledger',
      'sessions',
      'quarantine',
      'process',
    ]),
  );
  expect(filesOf(dir)).toEqual(before);
});

it('finds nothing wrong where nothing has begun', async () => {
  expect(await examined(join(root, 'nothing'))).toMatchObject({ code: 0 });
});

it.each<[string, string | undefined, (dir: string) => void, Record<string, string>]>([
  ['file modes', 'ERR_KEY_FILE_MODE', (dir) => chmodSync(join(dir, 'deployment.key'), 0o644), {}],
  ['key', 'ERR_KEY_MISSING', (dir) => rmSync(join(dir, 'deployment.key')), {}],
  ['key', 'ERR_KEYS_MISSING', (dir) => rmSync(join(dir, 'keys.db')), {}],
  ['key', 'ERR_LOG_OTHER_KEY', () => {}, { DOORLEDGER_KEY: 'ab'.repeat(32) }],
  ['log', 'ERR_HISTORY_LOST', (dir) => rmSync(join(dir, 'log.db')), {}],
  ['log', undefined, (dir) => truncateSync(join(dir, 'log.db'), 5000), {}],
  ['settings', 'ERR_OPEN_DOOR', () => {}, { DOORLEDGER_HOST: '0.0.0.0' }],
])('names what is wrong with the %s (%s), and how to mend it', async (about, code, damage, env) => {
  const dir = copy();
  damage(dir);
  const answer = await examined(dir, env);
  expect(answer.code).toBe(1);
  expect(wrongIn(answer)).toContainEqual([about, code ?? (expect.stringMatching(/^ERR_/) as string)]);
  for (const { isWell, mend } of answer.findings) expect(isWell || (mend?.length ?? 0) > 0).toBe(true);
});

it('names the ledger that is behind, and then what of the log nobody can read', async () => {
  const dir = copy();
  const log = await writer(dir);
  const unreadable = Array.from({ length: 1001 }, (_, i) => ({
    key: `k${i}`,
    value: Buffer.from('{'),
    headers: { ce_type: 'turn.claimed' },
  }));
  await log.append(topics.session.name, unreadable);
  await log.append(topics.ingress.name, [{ key: 'k', value: Buffer.from('{'), headers: {} }]);
  expect(wrongIn(await examined(dir))).toEqual([['ledger', 'ERR_LEDGER_BEHIND']]);
  await foldInto(dir, log);
  await log.close();
  expect(wrongIn(await examined(dir))).toEqual([
    ['sessions', 'ERR_SESSION_BLOCKED'],
    ['quarantine', undefined],
  ]);
});

it('names a port that something else has, a process that is gone, and a process that cannot serve', async () => {
  const stranger = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => stranger.once('listening', resolve));
  const { port } = stranger.address() as AddressInfo;
  const dir = copy();
  expect(wrongIn(await examined(dir, { DOORLEDGER_PORT: String(port) }))).toEqual([['port', 'ERR_ADDRESS_IN_USE']]);
  const says = (pid: number) =>
    writeFileSync(join(dir, 'running.json'), JSON.stringify({ pid, url: `http://127.0.0.1:${port}`, token: 't' }));
  says(2 ** 22 + 1);
  expect(await processChecks({ data: dir })).toMatchObject([{ isWell: true }]);
  says(process.pid);
  expect(await processChecks({ data: dir })).toMatchObject([{ isWell: false, code: 'ERR_NO_ANSWER' }]);
  stranger.close();
});

it('names a disk that is nearly full, and a clock that is behind the log', async () => {
  expect(folderChecks({ data: sample }, () => 5e8).at(-1)).toMatchObject({ about: 'disk', isWell: false, code: 'ERR_DISK_FULL' });
  const log = await openSqliteLog({ dir: sample, role: 'reader', topics: partitionCounts('embedded') });
  expect(await clockChecks(log, Date.now() - 3_600_000)).toMatchObject([{ about: 'clock', isWell: false }]);
  await log.close();
});

it('X4 prints a line each for a person, and ends with 1 where something is wrong', async () => {
  const dir = copy();
  rmSync(join(dir, 'deployment.key'));
  const stream = new PassThrough();
  const said: string[] = [];
  const code = await doctor({ config: configOn(dir), output: new Output(stream), say: (line) => said.push(line) }, {});
  expect([code, said]).toEqual([1, ['1 to mend.']]);
  const text = String(stream.read());
  expect(text).toMatch(/^WRONG {2}key +There is no deployment key, .*\(ERR_KEY_MISSING\)\n +Mend: \S/m);
  expect(text).toMatch(/^ok {5}log +It answers and holds \d+ records\.$/m);
});
