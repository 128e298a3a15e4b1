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

const SWITCH_MS = 30_000;
/** Erasing a person with many sessions takes its time. */
const WORK_MS = 600_000;

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
  const answer = await askRunning(running, '/v1/operator/switch', { generation }, SWITCH_MS);
  return answer === 'absent' ? answer : 'switched';
}

/**
 * Asks its operator API. `absent`: nothing listens there any more.
 * @throws DoorledgerError with the process's own sentence when it refuses, `ERR_NO_ANSWER`
 */
export async function askRunning(running: RunningProcess, path: string, fields: object, answerMs = WORK_MS): Promise<object | 'absent'> {
  let response: Response;
  try {
    response = await fetch(new URL(path, running.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout(answerMs),
    });
  } catch (error) {
    if ((error as { cause?: { code?: unknown } }).cause?.code === 'ECONNREFUSED') return 'absent';
    throw new DoorledgerError('ERR_NO_ANSWER', 'The running process did not answer in time: see its log lines, or stop it and try again.', {
      cause: error,
    });
  }
  const body = (await response.json().catch(() => ({}))) as { error?: string; code?: string };
  if (response.ok) return body;
  throw new DoorledgerError(body.code ?? 'ERR_REFUSED', body.error ?? `The running process refused (${response.status}).`);
}
