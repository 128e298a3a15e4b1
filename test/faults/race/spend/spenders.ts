import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inCheckout } from '../../real-parts.js';

export interface SpenderSettings {
  /** Of the host that it asks. */
  readonly url: string;
  readonly toolUrl: string;
  readonly approvals: readonly string[];
  readonly lanes: number;
}

/** What one process says of its approvals. */
export interface Heard {
  /** `spent`, `not-spent`, or the sentence of an error. */
  readonly heard: Readonly<Record<string, string>>;
  /** Approvals that nobody had spent when it asked at the end. */
  readonly unspent: readonly string[];
}

/** Starts one process for each, lets all begin at once, and resolves when all have ended. */
export async function runSpenders(settings: readonly SpenderSettings[]): Promise<Heard[]> {
  const spenders = await Promise.all(settings.map(startSpender));
  for (const { begin } of spenders) begin();
  return Promise.all(spenders.map(({ heard }) => heard()));
}

async function startSpender(settings: SpenderSettings) {
  const register = inCheckout('test/child/register.mjs');
  const child = spawn(process.execPath, ['--import', register, inCheckout('test/faults/race/spend/spender.ts'), JSON.stringify(settings)], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`A spender ended with ${code}.`);
  });
  ended.catch(() => {});
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => {
    const { value } = await Promise.race([lines.next(), ended.then(() => lines.next())]);
    return value as string;
  };
  await line();
  return {
    begin: () => child.stdin.write('go\n'),
    heard: async () => {
      const heard = JSON.parse(await line()) as Heard;
      await ended;
      return heard;
    },
  };
}
