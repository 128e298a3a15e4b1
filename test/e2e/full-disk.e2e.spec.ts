import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../faults/load.js';
import { seeded } from '../faults/seeded.js';
import { cli, serve } from '../faults/served-process.js';
import { smallDisk, type SmallDisk } from '../kafka/small-disk.mjs';
import { run } from './data-folder.js';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');

jest.setTimeout(120_000);
let root: string;
beforeAll(() => (root = mkdtempSync(join(tmpdir(), 'doorledger-disk-'))));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const sessions = Array.from({ length: 40 }, (_, i) => `s-${i}`);

/** A small disk with a data folder in it. */
interface DiskOfOne extends SmallDisk {
  /** As it is seen from in there. */
  readonly dir: string;
  /** A command of doorledger in there. */
  run(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable>;
}

async function diskOf(megabytes: number): Promise<DiskOfOne> {
  const disk = await smallDisk(root, megabytes);
  const [command, ...enter] = disk.enter;
  const run = (args: readonly string[]) =>
    spawn(command!, [...enter, process.execPath, CLI, ...args], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return { ...disk, dir: root, run };
}

/** A command's end, and what it said. */
async function endOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...said };
}

/** Where a starting process listens, by the file it leaves in its data folder. */
async function urlIn(dir: string, child: ChildProcess): Promise<string> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`doorledger up ended with ${child.exitCode}`);
    try {
      return (JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8')) as { url: string }).url;
    } catch {
      await sleep(20);
    }
  }
}

/** Turns that a caller heard of and the tail does not tell. */
function lostOf(acknowledged: readonly string[], tail: string): string[] {
  const lines = tail.trim().split('\n');
  const completed = new Set(lines.map((line) => (JSON.parse(line) as { event: { subject: string } }).event.subject));
  return acknowledged.filter((turnId) => !completed.has(turnId));
}

it('K3 and E7 refuse by name while the disk is full, lose nothing that was acknowledged, and go on when there is space', async () => {
  const disk = await diskOf(160);
  const dir = join(disk.dir, 'data');
  const up = disk.run(['up', '--data', dir, '--port', '0', '--logging-level', 'warn']);
  const ended = endOf(up);
  const url = await urlIn(join(disk.outside, 'data'), up);
  const acknowledged: string[] = [];
  const stop = new AbortController();
  const loading = load(
    { url, clients: 8, random: seeded(3), sessions, onAcknowledged: ({ turnId }) => acknowledged.push(turnId) },
    stop.signal,
  );
  const ready = async () => {
    const response = await fetch(`${url}/ready`);
    return response.status === 200 ? 'ready' : ((await response.json()) as { error: string }).error;
  };
  while (acknowledged.length < 50) await sleep(20);
  do {
    disk.fill();
    await sleep(20);
  } while (!(await ready()).includes('ERR_DISK_FULL'));
  disk.free();
  const atFreeing = acknowledged.length;
  while ((await ready()) !== 'ready' || acknowledged.length < atFreeing + 50) await sleep(20);
  stop.abort();
  const { answers } = await loading;
  expect(answers.get(503)).toBeGreaterThan(0);
  expect([...answers.keys()].filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
  up.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
  const tail = await endOf(disk.run(['tail', '--no-follow', '--type', 'turn.completed', '--data', dir]));
  expect(lostOf(acknowledged, tail.stdout)).toEqual([]);
  const verified = await endOf(disk.run(['verify', '--data', dir]));
  expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { isSound: true }]);
  disk.remove();
});

it('K15 refuses to start on a full disk with one sentence, and starts once there is space', async () => {
  const disk = await diskOf(1);
  const filler = join(disk.outside, 'filler');
  disk.fill();
  const args = ['up', '--data', join(disk.dir, 'data'), '--port', '0'];
  for (const freeKib of [0, 100, 200, 300]) {
    truncateSync(filler, (1024 - freeKib) * 1024 - 4096);
    const { code, stderr } = await endOf(disk.run(args));
    expect([freeKib, code, stderr]).toEqual([
      freeKib,
      1,
      expect.stringMatching(/^doorledger: There is no space [^\n]+ \(ERR_DISK_FULL\)\n$/),
    ]);
  }
  disk.free();
  const up = disk.run(args);
  const ended = endOf(up);
  await urlIn(join(disk.outside, 'data'), up);
  up.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
  disk.remove();
});

it('K3 acknowledges nothing more once the data folder was moved away under it, and all that was acknowledged is in it', async () => {
  const dir = join(root, 'moved');
  const served = await serve(dir);
  const acknowledged: string[] = [];
  const stop = new AbortController();
  const loading = load(
    { url: served.url, clients: 8, random: seeded(4), sessions, onAcknowledged: ({ turnId }) => acknowledged.push(turnId) },
    stop.signal,
  );
  while (acknowledged.length < 30) await sleep(10);
  renameSync(dir, `${dir}-away`);
  // The process ends itself then, maybe in the middle of this answer.
  const isReady = () =>
    fetch(`${served.url}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (await isReady()) await sleep(20);
  stop.abort();
  await loading;
  await served.stop();
  const { stdout } = await run(['tail', '--no-follow', '--type', 'turn.completed', '--data', `${dir}-away`]);
  expect(lostOf(acknowledged, stdout)).toEqual([]);
});

it('X4 goes on when nobody reads its log lines any more', async () => {
  const dir = join(root, 'unread');
  const child = cli(['up', '--data', dir, '--port', '0']);
  child.stdout.resume();
  child.stderr.destroy();
  const url = await urlIn(dir, child);
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await end).toBe(0);
});
