import { join } from 'node:path';
import type { CaseReport } from '../../case-report.js';
import { startJudge } from '../../judge-server-process.js';
import { realCluster } from '../../real-parts.js';
import { serve } from '../../served-process.js';
import { wordsIn } from '../../zombies/words.js';
import { judgeSpends } from './judge-spends.js';
import { runSpenders } from './spenders.js';

export interface SpendRace {
  readonly on: 'kafka' | 'embedded';
  /** An empty folder. */
  readonly dir: string;
  readonly approvals: number;
}

const LANES = 8;

/** Two processes that share nothing but the ledger of decisions resume the same approvals at once (N41); on Kafka each asks a host of its own. */
export async function raceSpends({ on, dir, approvals: count }: SpendRace): Promise<CaseReport> {
  const approvals = Array.from({ length: count }, (_, i) => `approval-${i}`);
  const judge = await startJudge(join(dir, 'received'));
  const hosts = await (on === 'kafka' ? twoHosts(dir) : oneHost(dir)).catch(async (error: unknown) => {
    await judge.stop();
    throw error;
  });
  try {
    const startedAt = performance.now();
    const heard = await runSpenders(hosts.urls.map((url) => ({ url, toolUrl: judge.url, approvals, lanes: LANES })));
    const received = judge.received();
    const won = heard.map((one) => Object.values(one.heard).filter((answer) => answer === 'spent').length);
    return {
      figures: {
        approvals: count,
        ran: received.length,
        'spent by the first': won[0]!,
        'spent by the second': won[1]!,
        ms: Math.round(performance.now() - startedAt),
      },
      violations: judgeSpends(approvals, heard, received),
    };
  } finally {
    await hosts.stop();
    await judge.stop();
  }
}

async function oneHost(dir: string) {
  const served = await serve(join(dir, 'data'));
  return { urls: [served.url, served.url], stop: () => served.stop() };
}

async function twoHosts(dir: string) {
  const cluster = await realCluster({ brokers: 1, hosts: 2, projectors: 1, say: wordsIn(dir) });
  return { urls: cluster.hosts.map(({ url }) => url), stop: () => cluster.stop() };
}
