import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireWriterLock } from './lock.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-lock-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const inUse = expect.objectContaining({ code: 'ERR_DATA_IN_USE' });

it('K14 refuses a second writer of a data folder until the first lets go', () => {
  const lock = acquireWriterLock(join(dir, 'data'));
  expect(() => acquireWriterLock(join(dir, 'data'))).toThrow(inUse);
  acquireWriterLock(join(dir, 'other')).release();
  lock.release();
  lock.release();
  acquireWriterLock(join(dir, 'data')).release();
});

it('K14 refuses a writer beside one of another process, and lets it in when that one is killed', async () => {
  const program = `
    import { acquireWriterLock } from ${JSON.stringify(join(__dirname, 'lock.ts'))};
    acquireWriterLock(${JSON.stringify(dir)});
    console.log('held');
    setInterval(() => {}, 1e6);
  `;
  writeFileSync(join(dir, 'holder.mjs'), program);
  const holder = spawn(process.execPath, [join(dir, 'holder.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  expect(() => acquireWriterLock(dir)).toThrow(inUse);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  acquireWriterLock(dir).release();
});

it('K15 says in one sentence that a data folder cannot be written', () => {
  writeFileSync(join(dir, 'file'), '');
  expect(() => acquireWriterLock(join(dir, 'file', 'data'))).toThrow(expect.objectContaining({ code: 'ERR_DATA_UNWRITABLE' }));
});
