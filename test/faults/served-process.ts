import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../apps/cli/src/main.js', import.meta.url));
const TICKS_PER_SECOND = 100;

/** A `doorledger up` of its own on a free port. */
export interface Served {
  readonly url: string;
  readonly pid: number;
  /** Ms from the start of the process until `/ready` said 200. */
  readonly readyMs: number;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
}

export async function serve(dir: string, env: Record<string, string> = {}): Promise<Served> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--enable-source-maps', CLI, 'up'], {
    env: { ...process.env, DOORLEDGER_DATA: dir, DOORLEDGER_PORT: '0', DOORLEDGER_LOGGING_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const url = await readyAt(dir, child, () => words);
  return { url, pid: child.pid!, readyMs: performance.now() - startedAt, stop: () => ended(child, 'SIGTERM'), kill: () => ended(child, 'SIGKILL') };
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

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
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
