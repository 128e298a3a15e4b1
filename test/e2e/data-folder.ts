import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '../faults/load.js';
import { cli, serve, type Ended } from '../faults/served-process.js';

const ENDS_WITHIN_MS = 60_000;

/** A data folder with some turns on its log, made once; each test damages a copy of its own. */
export interface SampleFolder {
  readonly dir: string;
  /** A copy of its own in a folder beside it. */
  copy(): string;
  /** A new, empty path beside it. */
  path(): string;
  remove(): void;
}

export async function sampleFolder(sessions: readonly string[]): Promise<SampleFolder> {
  const root = mkdtempSync(join(tmpdir(), 'doorledger-refusals-'));
  const dir = join(root, 'data');
  const served = await serve(dir);
  for (const sessionId of sessions) await ask(served.url, { input: 'hello', sessionId });
  await served.stop();
  let copies = 0;
  const path = () => join(root, `case-${copies++}`);
  return {
    dir,
    path,
    copy: () => {
      const to = path();
      cpSync(dir, to, { recursive: true });
      return to;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Runs a command to its end; one that does not end is killed and has no code. */
export async function run(args: readonly string[], env: Record<string, string> = {}, withinMs = ENDS_WITHIN_MS): Promise<Ended> {
  const child = cli(args, env);
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code, stdout, stderr };
}

export const upOn = (dir: string, env?: Record<string, string>): Promise<Ended> =>
  run(['up', '--data', dir, '--port', '0', '--projector-port', '0', '--logging-level', 'warn'], env);

/** The code of a refusal; the whole words where they are not one sentence and exit code 1. */
export function codeOf({ code, stdout, stderr }: Ended): string {
  const [, named] = /^doorledger: [^\n]+ \((ERR_[A-Z_]+)\)\n$/.exec(stderr) ?? [];
  return code === 1 && stdout === '' && named ? named : `exit ${code}: ${stdout}${stderr}`;
}

/** Every file below a folder, by its path. */
export const filesOf = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
