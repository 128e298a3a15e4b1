import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as the set-up has built it before a test runs. */
const CLI = join(__dirname, '../../../../dist/apps/cli/src/main.js');

interface Where {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a file as a process of its own, with nothing of the caller's environment but the way to programs and what loading sources needs. */
export function start(file: string, args: readonly string[], { cwd, env = {} }: Where): ChildProcess {
  const { PATH, NODE_OPTIONS } = process.env;
  return spawn(process.execPath, [file, ...args], { cwd, env: { PATH, ...(file.endsWith('.ts') && { NODE_OPTIONS }), ...env } });
}

export const startCli = (args: readonly string[], where: Where): ChildProcess => start(CLI, args, where);

export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr })));
}

export const runCli = (args: readonly string[], where: Where): Promise<Ended> => ended(startCli(args, where));

/** Resolves when the child has said `text` on stderr. */
export function said(child: ChildProcess, text: string): Promise<void> {
  let heard = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer | string) => (heard += String(chunk)).includes(text) && resolve());
    child.on('close', () => reject(new Error(`ended without saying ${text}, but: ${heard}`)));
  });
}
