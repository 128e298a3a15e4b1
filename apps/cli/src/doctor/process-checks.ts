import { once } from 'node:events';
import { createServer } from 'node:net';
import type { DoorledgerConfig } from '@doorledger/config';
import { runningOn } from '../running-process.js';
import { well, wrong, type Finding } from './finding.js';

const ANSWER_MS = 3000;

/** The process that says it runs on this data folder: alive, and able to serve. */
export async function processChecks({ data }: Pick<DoorledgerConfig, 'data'>): Promise<Finding[]> {
  const running = runningOn(data);
  if (!running) return [well('process', 'None says that it runs on this data folder.')];
  const answer = await asked(`${running.url}/ready`);
  if (!answer) {
    if (!isAlive(running.pid)) return [well('process', 'The one that ran here was killed; the next start goes on where it was.')];
    return [
      wrong(
        'process',
        'The process of this data folder does not answer.',
        'See its log lines; stop it and start it again.',
        'ERR_NO_ANSWER',
      ),
    ];
  }
  if (answer.status === 200) return [well('process', `It serves at ${running.url}.`)];
  const { problems } = answer.body as { problems?: unknown };
  const named = Array.isArray(problems) ? problems.filter((problem) => typeof problem === 'string') : [];
  return named.map((problem) => wrong('process', `It is not ready: ${problem}`, 'docs/runbook.md, section DoorledgerNotReady.'));
}

/** The ports that a start would listen on: free, or a process of ours listens there. */
export async function portChecks({
  host,
  port,
  projectorPort,
}: Pick<DoorledgerConfig, 'host' | 'port' | 'projectorPort'>): Promise<Finding[]> {
  const findings = await Promise.all([...new Set([port, projectorPort])].map((one) => judgePort(host, one)));
  return findings.filter((finding) => finding !== undefined);
}

async function judgePort(host: string, port: number): Promise<Finding | undefined> {
  if (port === 0) return undefined;
  if (await isFree(host, port)) return well('port', `${port} is free.`);
  const at = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const answer = await asked(`http://${at.includes(':') ? `[${at}]` : at}:${port}/health`);
  if (answer?.status === 200 && (answer.body as { uptimeMs?: unknown }).uptimeMs !== undefined)
    return well('port', `A process of doorledger listens on ${port}.`);
  const mend = 'Stop what listens there, or choose another with --port or --projector-port.';
  return wrong('port', `${port} on ${host} is taken, or this machine has no such address.`, mend, 'ERR_ADDRESS_IN_USE');
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

async function asked(url: string): Promise<{ readonly status: number; readonly body: object } | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return { status: response.status, body: Object(await response.json()) as object };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
