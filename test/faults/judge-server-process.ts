import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { inCheckout } from './real-parts.js';

/** A `tools/call` as the judge received it. */
export interface Received {
  /** What the caller named it by. */
  readonly id: string;
  /** Ms since the Unix epoch, by the clock of the one machine that all of this runs on. */
  readonly at: number;
  readonly tool: string;
  readonly session?: string;
  /** Where the dispatch stands by which it was sent (L2). */
  readonly fence?: { readonly callId: string; readonly partition: number; readonly offset: number };
}

/** The tool server that keeps the file by which calls are counted. It is never paused and never killed. */
export interface JudgeServer {
  readonly url: string;
  /** Everything received so far, in order. */
  received(): Received[];
  stop(): Promise<void>;
}

export async function startJudge(file: string): Promise<JudgeServer> {
  const child = spawn(process.execPath, [inCheckout('test/faults/judge-server.mjs'), file], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url,
    received: () => readReceived(readFileSync(file, 'utf8')),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

/** What a judge's file says; a line without its end was not written whole yet. */
export const readReceived = (text: string): Received[] =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Received);

/** The setting by which a host calls the judge, each call with its fence. `more` is merged into the server's settings. */
export const judgeSettings = (url: string, more: object = {}): Record<string, string> => ({
  DOORLEDGER_TOOLS_SERVERS: JSON.stringify([{ name: 'judge', url, scope: 'session', fence: true, ...more }]),
  DOORLEDGER_TOOLS_MAX_LIVE_PER_PERSON: '64',
});
