import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { parseDeploymentKey } from './deployment-key.js';
import { KEY_FILE, loadDeploymentKey } from './key-file.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-key-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const secret = Buffer.alloc(32, 0xfb);
const load =
  (configured?: string, mayCreate = false) =>
  () =>
    loadDeploymentKey({ configured, dir, mayCreate });
const write = (text: string, mode = 0o600) => {
  writeFileSync(join(dir, KEY_FILE), text);
  chmodSync(join(dir, KEY_FILE), mode);
};

it('X1 makes a key with mode 0600 on first start and uses it ever after', () => {
  const first = load(undefined, true)();
  expect(statSync(join(dir, KEY_FILE)).mode & 0o777).toBe(0o600);
  expect(load()().check).toBe(first.check);
  expect(readdirSync(dir)).toEqual([KEY_FILE]);
});

it('X1 makes the data folder that is not there yet', () => {
  dir = join(dir, 'new', 'data');
  expect(load(undefined, true)().check).toBe(load()().check);
  dir = join(dir, '..', '..');
});

it('X1 gives processes that start for the first time at once one key', async () => {
  const script = `import { loadDeploymentKey } from '${join(__dirname, 'key-file.ts')}';
    process.stdin.once('data', () => {
      console.log(loadDeploymentKey({ dir: process.argv[1], mayCreate: true }).check);
      process.exit();
    });
    console.log('ready');`;
  const starts = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', script, dir], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const lines = starts.map(({ stdout }) => createInterface(stdout)[Symbol.asyncIterator]());
  await Promise.all(lines.map((line) => line.next()));
  for (const { stdin } of starts) stdin.write('go\n');
  const checks = await Promise.all(lines.map(async (line) => (await line.next()).value as string));
  expect(checks).toEqual([1, 2, 3].map(() => load()().check));
}, 30_000);

it('X1 and K8 read one key from hex, base64 and URL-safe base64, and tell it from any other by its check value', () => {
  const written = [secret.toString('hex'), secret.toString('hex').toUpperCase(), secret.toString('base64'), secret.toString('base64url')];
  const checks = written.map((text) => load(` ${text}\n`)().check);
  expect(new Set(checks).size).toBe(1);
  expect(checks[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(load(Buffer.alloc(32, 0xfa).toString('hex'))().check).not.toBe(checks[0]);
});

it('K8 keeps the check value for ever: it is in the log', () => {
  expect(parseDeploymentKey(Buffer.alloc(32, 1).toString('hex'), 'a test').check).toBe(
    '151350645387f6782603dab8e23ec65f679d3adbe77ea8d8ab43e209e2af70ab',
  );
});

it.each([
  '',
  'short',
  'a'.repeat(63),
  'a'.repeat(65),
  'g'.repeat(64),
  Buffer.alloc(31, 9).toString('base64'),
  Buffer.alloc(33, 9).toString('base64'),
])('X1 refuses a broken key by name and does not quote it (%#)', (text) => {
  write(text);
  for (const broken of [load(text), load()]) {
    expect(broken).toThrow(expect.objectContaining({ code: 'ERR_KEY_INVALID' }));
    if (text) expect(broken).toThrow(expect.objectContaining({ message: expect.not.stringContaining(text) }));
  }
});

it.each([0o640, 0o604, 0o644, 0o660])('X1 refuses a key file that others may open (%#)', (mode) => {
  write(secret.toString('hex'), mode);
  expect(load()).toThrow(expect.objectContaining({ code: 'ERR_KEY_FILE_MODE', message: expect.stringContaining('chmod 600') }));
});

it('X1 makes no new key where data lies under an old one', () => {
  expect(load()).toThrow(expect.objectContaining({ code: 'ERR_KEY_MISSING' }));
  expect(readdirSync(dir)).toEqual([]);
});

it('X1 takes the configured key even where a file lies', () => {
  load(undefined, true)();
  const text = readFileSync(join(dir, KEY_FILE), 'utf8');
  expect(load(secret.toString('hex'))().check).not.toBe(load(text)().check);
});

it('X1 shows a key to no inspector', () => {
  const shown = inspect(load(secret.toString('hex'))(), { depth: 9, showHidden: true });
  expect(shown).not.toContain(secret.toString('hex'));
  expect(shown).not.toContain('fb fb fb fb');
});
