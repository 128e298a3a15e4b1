import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { ask } from '../faults/load.js';
import { cli, serve } from '../faults/served-process.js';
import { codeOf, run, sampleFolder, upOn, type SampleFolder } from './data-folder.js';

jest.setTimeout(120_000);
let sample: SampleFolder;
beforeAll(async () => {
  sample = await sampleFolder(['first', 'second', 'first']);
});
afterAll(() => sample.remove());

/** Copies the sample, lets `damage` do its work on it, and starts there. */
async function upAfter(damage: (dir: string) => void, env?: Record<string, string>): Promise<string> {
  const dir = sample.copy();
  damage(dir);
  return codeOf(await upOn(dir, env));
}

const AT_ONCE = 3;

/** What each case ended with; a few at a time. */
async function endsOf(cases: Readonly<Record<string, () => Promise<string>>>): Promise<Record<string, string>> {
  const rest = Object.entries(cases).values();
  const found = Object.fromEntries(Object.keys(cases).map((name) => [name, '']));
  const work = async () => {
    for (const [name, start] of rest) found[name] = await start();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** Every command that serves, started on a folder at once. */
const servingOn = (dir: string): Promise<Record<string, string>> =>
  endsOf(
    Object.fromEntries(
      ['up', 'host', 'projector'].map((command) => [
        command,
        async () => codeOf(await run([command, '--data', dir, '--port', '0', '--projector-port', '0'])),
      ]),
    ),
  );
const allThree = (code: string) => ({ up: code, host: code, projector: code });

/** A session's facts, once the ledger has as many. */
async function timelineOf(url: string, sessionId: string, facts: number): Promise<unknown[]> {
  for (;;) {
    const response = await fetch(`${url}/v1/sessions/${sessionId}/timeline`);
    const { items = [] } = (await response.json()) as { items?: unknown[] };
    if (items.length >= facts) return items;
  }
}

it('X4 answers a wrong command line with one sentence and exit code 2', async () => {
  for (const args of [['up', '--prot', '1'], ['pu'], ['up', 'extra'], ['backup'], ['tail', '--data', '']]) {
    const { code, stdout, stderr } = await run(args);
    expect([args, code, stdout, stderr.trimEnd().split('\n').length]).toEqual([args, 2, '', 1]);
  }
  expect((await run(['up', '--prot', '1'])).stderr).toBe("doorledger: unknown option '--prot'; did you mean --port?\n");
});

it('K15 names every mistake of a configuration on a line each, quotes no value, and starts nothing', async () => {
  const dir = sample.path();
  mkdirSync(dir);
  const file = join(dir, 'c.yaml');
  writeFileSync(file, 'port: canary\nhots: canary\ndoor: {path: /v1/canary}\nhostId: &a [x, x, x]\ndeployment: *b\nconcurrency: canary\n');
  const { code, stderr } = await run(['up', '--config', file], {
    DOORLEDGER_DATA: join(dir, 'data'),
    DOORLEDGER_CLOSE_TIMEOUT_MS: 'canary',
  });
  expect(code).toBe(1);
  expect(stderr).not.toContain('canary');
  const lines = stderr.trimEnd().split('\n');
  for (const setting of ['port', 'hots', 'door.path', 'hostId', 'concurrency', 'closeTimeoutMs'])
    expect(lines.filter((line) => line.startsWith('doorledger: ') && line.includes(setting))).toHaveLength(1);
  writeFileSync(file, `hostId: [${'&a [x,x,x,x,x,x,x,x,x,x]'}]\ndeployment: [${'*a,'.repeat(200)}]\n`);
  const repeated = await run(['config', 'check', '--config', file]);
  expect([repeated.code, repeated.stderr]).toEqual([1, expect.stringContaining('deployment repeats an alias too often')]);
  expect(existsSync(join(dir, 'data'))).toBe(false);
});

it('K14 refuses a data folder whose files are something else, by name, and leaves them as they were', async () => {
  const foreign = sample.path();
  new Database(foreign).exec('create table theirs (x)').close();
  const theirs = readFileSync(foreign);
  const put = (name: string, make: (path: string) => void) => () =>
    upAfter((dir) => {
      const path = join(dir, name);
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      make(path);
    });
  const text = (path: string) => writeFileSync(path, 'Minutes of the meeting, in no format that a database would know.');
  const folder = (path: string) => mkdirSync(path);
  const found = await endsOf({
    'log.db of another program': put('log.db', (path) => writeFileSync(path, theirs)),
    'log.db is a text': put('log.db', text),
    'log.db is a folder': put('log.db', folder),
    'log.db is keys.db': put('log.db', (path) => cpSync(join(sample.dir, 'keys.db'), path)),
    'keys.db is a folder': put('keys.db', folder),
    'ledger.1.db is a folder': put('ledger.1.db', folder),
    'writer.lock is a text': put('writer.lock', (path) => writeFileSync(path, 'x'.repeat(1024))),
  });
  for (const [name, code] of Object.entries(found)) expect([name, code]).toEqual([name, 'ERR_FILE_FOREIGN']);
  const file = sample.path();
  writeFileSync(file, 'a file');
  expect(codeOf(await upOn(file))).toBe('ERR_DATA_UNWRITABLE');
  expect(readFileSync(file, 'utf8')).toBe('a file');
});

it('K14 refuses a second process on the same folder, whichever two they are, and the first goes on', async () => {
  const dir = sample.copy();
  const served = await serve(dir);
  expect(await servingOn(dir)).toEqual(allThree('ERR_DATA_IN_USE'));
  expect(await ask(served.url, { input: 'still here' })).toMatchObject({ status: 200 });
  await served.stop();
  const apart = ['host', 'projector'].map((command) => cli([command, '--data', dir, '--port', '0', '--projector-port', '0']));
  await Promise.all(apart.map((child) => new Promise((resolve) => child.stderr.once('data', resolve))));
  expect(await servingOn(dir)).toEqual(allThree('ERR_DATA_IN_USE'));
  const ends = apart.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of apart) child.kill('SIGTERM');
  expect(await Promise.all(ends)).toEqual([0, 0]);
});

it('X0 and X4 let one replay build at a time, and take no ledger away from a projector that writes it', async () => {
  const dir = sample.copy();
  const both = await Promise.all([run(['replay', '--data', dir]), run(['verify', '--data', dir])]);
  const refused = both.filter(({ code }) => code === 1);
  expect(refused.map(({ stderr }) => stderr.trimEnd().split('\n').at(-1))).toEqual(
    refused.map(() => expect.stringContaining('Another replay or verify of this data folder is at work') as string),
  );
  expect(refused.length).toBeLessThan(2);
  const projector = cli(['projector', '--data', dir, '--projector-port', '0']);
  await new Promise((resolve) => projector.stderr.once('data', resolve));
  const { code, stderr } = await run(['replay', '--switch', '--data', dir]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/ERR_DATA_IN_USE/)]);
  expect(existsSync(join(dir, 'ledger.1.db'))).toBe(true);
  const end = new Promise((resolve) => projector.once('exit', resolve));
  projector.kill('SIGTERM');
  expect(await end).toBe(0);
});

it('K8 and X1 refuse another deployment key, a missing, broken or open key file, and missing content keys', async () => {
  const other = 'ab'.repeat(32);
  const keyFile = (change: (path: string) => void) => () => upAfter((dir) => change(join(dir, 'deployment.key')));
  expect(
    await endsOf({
      'another key in the settings': () => upAfter(() => {}, { DOORLEDGER_KEY: other }),
      'another key file': keyFile((path) => writeFileSync(path, other)),
      'no key file': keyFile((path) => rmSync(path)),
      'no key in it': keyFile((path) => writeFileSync(path, 'not a key')),
      'a folder': keyFile((path) => (rmSync(path), mkdirSync(path, { mode: 0o700 }))),
      'open to others': keyFile((path) => chmodSync(path, 0o644)),
      'older content keys': async () => {
        const dir = sample.copy();
        const served = await serve(dir);
        await ask(served.url, { input: 'later', sessionId: 'third' });
        await served.stop();
        cpSync(join(sample.dir, 'keys.db'), join(dir, 'keys.db'));
        return codeOf(await upOn(dir));
      },
      'no content keys': () => upAfter((dir) => rmSync(join(dir, 'keys.db'))),
    }),
  ).toEqual({
    'another key in the settings': 'ERR_LOG_OTHER_KEY',
    'another key file': 'ERR_LOG_OTHER_KEY',
    'no key file': 'ERR_KEY_MISSING',
    'no key in it': 'ERR_KEY_INVALID',
    'a folder': 'ERR_KEY_INVALID',
    'open to others': 'ERR_KEY_FILE_MODE',
    'older content keys': 'ERR_KEYS_OLDER',
    'no content keys': 'ERR_KEYS_MISSING',
  });
});

it('X1 starts after a crash between the making of the keys and the first record', async () => {
  const dir = sample.path();
  mkdirSync(dir);
  for (const name of ['deployment.key', 'keys.db']) cpSync(join(sample.dir, name), join(dir, name));
  const served = await serve(dir);
  expect(await ask(served.url, { input: 'x', sessionId: 'first' })).toMatchObject({ status: 200 });
  await served.stop();
});

it('K6 refuses a cut or damaged file by name, and a damaged ledger is made anew once it is moved away', async () => {
  const log = readFileSync(join(sample.dir, 'log.db'));
  const cut = (name: string, bytes: number) => () => upAfter((dir) => truncateSync(join(dir, name), bytes));
  const flipped = () =>
    upAfter((dir) => {
      const bytes = Buffer.from(log);
      const at = bytes.lastIndexOf('turn.completed');
      bytes[at] = bytes[at]! ^ 1;
      writeFileSync(join(dir, 'log.db'), bytes);
    });
  expect(
    await endsOf({
      'log.db is empty': cut('log.db', 0),
      'log.db is half': cut('log.db', 8192 * Math.floor(log.length / 16384)),
      'one bit of a record': flipped,
      'keys.db is half': cut('keys.db', 8192),
    }),
  ).toEqual({
    'log.db is empty': 'ERR_FILE_TORN',
    'log.db is half': 'ERR_FILE_TORN',
    'one bit of a record': 'ERR_LOG_CORRUPT',
    'keys.db is half': 'ERR_FILE_TORN',
  });
  const dir = sample.copy();
  truncateSync(join(dir, 'ledger.1.db'), 8192);
  const refused = await upOn(dir);
  expect([codeOf(refused), refused.stderr]).toEqual(['ERR_FILE_TORN', expect.stringContaining('the next start makes it anew')]);
  renameSync(join(dir, 'ledger.1.db'), join(dir, 'moved-away'));
  for (const name of readdirSync(dir)) if (/^ledger\.1\.db-/.test(name)) rmSync(join(dir, name));
  const served = await serve(dir);
  expect(await timelineOf(served.url, 'first', 6)).toHaveLength(6);
  await served.stop();
});

it('K14 and K8 refuse an older log under a newer ledger, a lost one and a foreign write-ahead file, before anything is written', async () => {
  const dir = sample.copy();
  const served = await serve(dir);
  await ask(served.url, { input: 'newer', sessionId: 'first' });
  await timelineOf(served.url, 'first', 9);
  await served.kill();
  const newer = sample.path();
  cpSync(dir, newer, { recursive: true });

  for (const suffix of ['-wal', '-shm']) renameSync(join(dir, `log.db${suffix}`), join(dir, `aside${suffix}`));
  expect(await servingOn(dir)).toEqual(allThree('ERR_LEDGER_AHEAD'));
  renameSync(join(dir, 'log.db'), join(dir, 'aside.db'));
  expect(codeOf(await upOn(dir))).toBe('ERR_HISTORY_LOST');
  expect(existsSync(join(dir, 'log.db'))).toBe(false);
  const other = sample.path();
  const log = await openSqliteLog({ dir: other, role: 'writer', topics: partitionCounts('embedded') });
  await log.close();
  cpSync(join(other, 'log.db'), join(newer, 'log.db'));
  expect(codeOf(await upOn(newer))).toBe('ERR_FILE_FOREIGN_WAL');

  renameSync(join(dir, 'aside.db'), join(dir, 'log.db'));
  for (const suffix of ['-wal', '-shm']) {
    rmSync(join(dir, `log.db${suffix}`), { force: true });
    renameSync(join(dir, `aside${suffix}`), join(dir, `log.db${suffix}`));
  }
  const again = await serve(dir);
  expect(await timelineOf(again.url, 'first', 9)).toHaveLength(9);
  await again.stop();
});

it('K15 ends at a taken port and at an address of another machine with one sentence; I1 at an address that others reach, unless told twice', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const up =
    (command: string, ...flags: string[]) =>
    async () =>
      codeOf(await run([command, ...flags, '--data', sample.copy()]));
  expect(
    await endsOf({
      up: up('up', '--port', String(port)),
      projector: up('projector', '--projector-port', String(port)),
    }),
  ).toEqual({ up: 'ERR_ADDRESS_IN_USE', projector: 'ERR_ADDRESS_IN_USE' });
  const elsewhere = ['--host', '192.0.2.1', '--port', '0', '--identity-open', 'true'];
  expect(await up('host', ...elsewhere)()).toBe('ERR_OPEN_DOOR');
  expect(await up('host', ...elsewhere, '--identity-open-on-network', 'i-know')()).toBe('ERR_ADDRESS');
  taken.close();
});
