import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_OPTIONS: process.env.NODE_OPTIONS,
  ...env,
});

/** Starts a source file of this folder's app as a process of its own, with nothing of the caller's environment but what loading sources needs. */
export function start(file: string, args: readonly string[], { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv }): ChildProcess {
  return spawn(process.execPath, [join(__dirname, '..', file), ...args], { cwd, env: environment(env) });
}

export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr })));
}

export const runCli = (args: readonly string[], where: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<Ended> =>
  ended(start('main.ts', args, where));

/** Resolves when the child has said `text` on stderr. */
export function said(child: ChildProcess, text: string): Promise<void> {
  let heard = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer | string) => (heard += String(chunk)).includes(text) && resolve());
    child.on('close', () => reject(new Error(`ended without saying ${text}, but: ${heard}`)));
  });
}
