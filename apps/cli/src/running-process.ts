import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoorledgerError } from '@doorledger/contracts';

/** What a process that writes a data folder left there for commands of the same user (mode 0600). */
export interface RunningProcess {
  readonly pid: number;
  readonly url: string;
  /** Opens its operator API; new at every start. */
  readonly token: string;
}

const ANSWER_MS = 30_000;

/** The process that says it runs on this folder, or undefined. A file left by a killed one is found out when nobody answers. */
export function runningOn(dir: string): RunningProcess | undefined {
  try {
    const { pid, url, token } = JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8')) as Partial<RunningProcess>;
    return typeof pid === 'number' && typeof url === 'string' && typeof token === 'string' ? { pid, url, token } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Asks the running process to take a ledger generation into use (X4). `absent`: nothing listens there any more.
 * @throws DoorledgerError with the process's own sentence when it refuses.
 */
export async function askToSwitch(running: RunningProcess, generation: number): Promise<'switched' | 'absent'> {
  let response: Response;
  try {
    response = await fetch(new URL('/v1/operator/switch', running.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ generation }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  } catch (error) {
    if ((error as { cause?: { code?: unknown } }).cause?.code === 'ECONNREFUSED') return 'absent';
    throw new DoorledgerError('ERR_NO_ANSWER', 'The running process did not answer in time: see its log lines, or stop it and try again.', {
      cause: error,
    });
  }
  if (response.ok) return 'switched';
  const refusal = (await response.json().catch(() => ({}))) as { error?: string; code?: string };
  throw new DoorledgerError(refusal.code ?? 'ERR_REFUSED', refusal.error ?? `The running process refused (${response.status}).`);
}
