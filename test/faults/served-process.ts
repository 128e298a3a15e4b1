import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';

/** The built command line, also when this file runs from its source. */
const CLI = fileURLToPath(new URL(`../../${import.meta.url.endsWith('.ts') ? 'dist/' : ''}apps/cli/src/main.js`, import.meta.url));
const TICKS_PER_SECOND = 100;

/** A `doorledger up` of its own on a free port. */
export interface Served {
  readonly url: string;
  /** What it has said on stderr so far. */
  words(): string;
  readonly pid: number;
  /** Ms from the start of the process until `/ready` said 200. */
  readonly readyMs: number;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<number | null>;
}

/** @param within where the data folder is on a disk that only it sees: how it gets in there, and the folder as it is seen from here */
export async function serve(
  dir: string,
  env: Record<string, string> = {},
  within: { readonly enter: readonly string[]; readonly seen: string } = { enter: [], seen: dir },
): Promise<Served> {
  const startedAt = performance.now();
  const child = cli(['up'], { DOORLEDGER_DATA: dir, DOORLEDGER_PORT: '0', DOORLEDGER_LOGGING_LEVEL: 'warn', ...env }, within.enter);
  const words = collect(child.stderr);
  child.stdout.resume();
  const url = await readyAt(within.seen, child, words);
  return {
    url,
    words,
    pid: child.pid!,
    readyMs: performance.now() - startedAt,
    stop: () => ended(child, 'SIGTERM'),
    kill: () => ended(child, 'SIGKILL'),
  };
}

/** A `doorledger host` with a `doorledger projector` beside it, on one embedded log; the figures are the host's. */
export async function serveApart(dir: string, env: Record<string, string> = {}): Promise<Pick<Served, 'url' | 'pid' | 'stop'>> {
  const [port, projectorPort] = [await freePort(), await freePort()];
  const shared = { DOORLEDGER_DATA: dir, DOORLEDGER_LOGGING_LEVEL: 'warn', ...env };
  const roles = [
    { url: `http://127.0.0.1:${port}`, child: cli(['host', '--port', String(port)], shared) },
    { url: `http://127.0.0.1:${projectorPort}`, child: cli(['projector', '--projector-port', String(projectorPort)], shared) },
  ] as const;
  for (const { url, child } of roles) {
    const words = collect(child.stderr);
    child.stdout.resume();
    while (!(await fetch(`${url}/ready`).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error(`A role ended: ${words()}`);
      await sleep(50);
    }
  }
  const [{ url, child: host }, { child: projector }] = roles;
  return { url, pid: host.pid!, stop: async () => (await ended(projector, 'SIGTERM'), ended(host, 'SIGTERM')) };
}

/** The built command line as a child process; `NODE_OPTIONS` of a test run is not for it. */
export function cli(
  args: readonly string[],
  env: Record<string, string> = {},
  enter: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const [command, ...rest] = [...enter, process.execPath, '--enable-source-maps', CLI, ...args];
  return spawn(command!, rest, {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = cli(args, env);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout: stdout(), stderr: stderr() };
}

function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

async function readyAt(dir: string, child: ChildProcess, words: () => string): Promise<string> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`doorledger up ended: ${words()}`);
    const file = join(dir, 'running.json');
    if (existsSync(file)) {
      const { url, pid } = JSON.parse(readFileSync(file, 'utf8')) as { url: string; pid: number };
      const ready = pid === child.pid && (await fetch(`${url}/ready`).catch(() => undefined));
      if (ready && ready.status === 200) return url;
    }
    await sleep(10);
  }
}

/** Waits for the end of a process, after `signal` if one is given; resolves with the exit code. */
export async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (signal) child.kill(signal);
  return exit;
}

/** CPU a process has used so far, in µs (Linux). */
export function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

/** Resident memory in MB (Linux). */
export function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
