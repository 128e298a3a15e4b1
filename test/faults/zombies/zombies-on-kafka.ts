import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts } from '@doorledger/contracts';
import { openKafkaLog } from '@doorledger/event-log/kafka';
import { rounded, type CaseReport, type Say } from '../case-report.js';
import type { Violation } from '../history.js';
import { judgeSettings, startJudge } from '../judge-server-process.js';
import { realCluster, type ClusterOptions } from '../real-parts.js';
import { seeded } from '../seeded.js';
import { CallLoad, neverReceived } from './call-load.js';
import { figuresOf } from './figures.js';
import { judgeCalls, type CallEvidence } from './judgement.js';
import { ledgerCalls } from './ledger-calls.js';
import { LiveFold } from './live-fold.js';
import { planPauses } from './pause-plan.js';
import { Pauser } from './pauser.js';
import { wordsIn } from './words.js';

export interface KafkaZombies extends Pick<ClusterOptions, 'brokers' | 'hosts' | 'projectors'> {
  /** An empty folder. */
  readonly dir: string;
  readonly cycles: number;
  readonly seed: number;
  readonly sessions?: number;
  /** No pause begins after so many ms. */
  readonly maxMs?: number;
  readonly shortestMs?: number;
  readonly longestMs?: number;
  readonly say?: Say;
}

/** Sessions are used by rounds: everybody is in one of so many, then in the next ones. */
const ROUNDS = 5;
const CLIENTS_PER_HOST = 6;
const BURST = 40;
/** A run that nobody holds any more is over by then: a lease, the sweep's margin and two sweeps. */
const ALL_OVER_MS = 60_000;

/** Hosts of a real cluster are stopped while tool calls are on their way; then every call is held against the judge's file, the log and the ledger. */
export async function zombiesOnKafka(options: KafkaZombies): Promise<CaseReport> {
  const { dir, cycles, seed, sessions = 500, maxMs = Infinity, shortestMs = 5000, longestMs = 40_000, say = () => {}, ...parts } = options;
  const judge = await startJudge(join(dir, 'received'));
  const cluster = await realCluster({ ...parts, settings: judgeSettings(judge.url), say: wordsIn(dir) }).catch(async (error: unknown) => {
    await judge.stop();
    throw error;
  });
  const log = await openKafkaLog({ brokers: cluster.kafka.bootstrap, clientId: 'zombies', topics: partitionCounts('cluster'), dev: true });
  const live = new LiveFold(log);
  try {
    const startedAt = Date.now();
    let done = 0;
    const load = new CallLoad({
      urls: () => cluster.hosts.map(({ url }) => url),
      clients: CLIENTS_PER_HOST * cluster.hosts.length,
      sessions: () => roundOf(sessions, Math.min(ROUNDS - 1, Math.floor((done / cycles) * ROUNDS))),
      random: seeded(seed + 1),
      patienceMs: Math.min(4000, shortestMs),
    });
    const pauser = new Pauser(cluster, live, ({ url }) => load.burst(url, BURST), say);
    await sleep(1000);
    const plan = planPauses({ random: seeded(seed), shortestMs, longestMs, burst: BURST });
    for (; done < cycles && Date.now() - startedAt < maxMs; done++) await pauser.next(plan.next().value);
    await pauser.settled();
    await load.stop();
    const violations: Violation[] = [...pauser.violations, ...load.violations];
    await live.allOver(ALL_OVER_MS);
    const { url } = cluster.projectors[0]!;
    const evidence: CallEvidence = {
      fold: live.fold,
      ledgerCalls: await ledgerCalls(url),
      received: judge.received(),
      pauses: pauser.pauses,
    };
    violations.push(...judgeCalls(evidence), ...neverReceived(load.noted, evidence.received));
    const figures = rounded({ pauses: done, asked: load.asked, ...figuresOf(evidence) });
    return { figures, answers: load.heard, violations };
  } finally {
    await live.close();
    await log.close();
    await cluster.stop();
    await judge.stop();
  }
}

const roundOf = (sessions: number, round: number): string[] => {
  const each = Math.ceil(sessions / ROUNDS);
  return Array.from({ length: each }, (_, i) => `zombie-${round * each + i}`);
};
