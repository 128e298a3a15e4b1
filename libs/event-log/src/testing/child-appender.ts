import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { EventLog } from '../event-log.js';
import { type AcknowledgedCall, recordsOfCall } from './history.js';

/** A process that appends as fast as it can until it is killed. */
export interface ChildAppender {
  /** What it was told was durable, as far as it could say so. */
  readonly acknowledged: readonly AcknowledgedCall[];
  /** Lets it open its log and append; until then it loads its program, so that the next one is ready when one is killed. */
  begin(): void;
  /** Resolves when it has been told so many times. */
  acknowledgedCalls(count: number): Promise<void>;
  /** SIGKILL; resolves when it is gone and all it said is read. */
  kill(): Promise<void>;
}

/** @param program a module that calls `appendUntilKilled` */
export function startChildAppender(program: string, args: readonly string[]): ChildAppender {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const acknowledged: AcknowledgedCall[] = [];
  const lines = createInterface({ input: child.stdout! });
  let onLine = (): void => {};
  let isKilled = false;
  lines.on('line', (line) => {
    acknowledged.push(JSON.parse(line) as AcknowledgedCall);
    onLine();
  });
  const ended = Promise.all([once(lines, 'close'), once(child, 'exit')]);
  return {
    acknowledged,
    begin: () => void child.stdin!.end(),
    acknowledgedCalls: (count) =>
      new Promise((resolve, reject) => {
        onLine = () => void (acknowledged.length >= count && resolve());
        onLine();
        void ended.then(() => isKilled || reject(new Error('The appender ended by itself.')));
      }),
    kill: async () => {
      isKilled = true;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const CALLERS = 8;

/** What the child does: waits for the end of its input, then appends. It writes a line only after an append resolved. */
export async function appendUntilKilled(open: () => Promise<EventLog>, topic: string): Promise<void> {
  await once(process.stdin.resume(), 'end');
  const log = await open();
  const caller = async (name: string): Promise<void> => {
    for (let i = 0; ; i++) {
      const call = `${name}-${i}`;
      const positions = await log.append(topic, recordsOfCall(call, 1 + (i % 4), `${name}-${i % 5}`));
      process.stdout.write(`${JSON.stringify({ call, positions: positions.map(({ partition, offset }) => ({ partition, offset })) })}\n`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, i) => caller(`${process.pid}.${i}`)));
}
