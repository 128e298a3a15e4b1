import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { judgeCluster } from './cluster-judge.js';
import { planFaults, type PlanOptions } from './fault-plan.js';
import { Faults } from './faults.js';
import type { Violation } from './history.js';
import { startJudge } from './judge-server-process.js';
import { startPeople } from './race/people.js';
import { raceSettings } from './race/race-settings.js';
import { realCluster, type ClusterOptions } from './real-parts.js';
import { seeded } from './seeded.js';
import { SystemLoad } from './system/system-load.js';
import { wordsIn } from './zombies/words.js';

export interface ClusterFaults extends Pick<ClusterOptions, 'brokers' | 'hosts' | 'projectors' | 'settings'>, Omit<PlanOptions, 'random'> {
  /** An empty folder, for what the tool server received and what the processes say. */
  readonly dir: string;
  readonly cycles: number;
  readonly seed: number;
  /** No cycle begins after so many ms. */
  readonly maxMs?: number;
  readonly say?: (line: string) => void;
}

export interface ClusterReport {
  readonly cycles: number;
  readonly seed: number;
  /** How often each kind of fault came. */
  readonly faults: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly slowestAnswerMs: number;
  readonly records: number;
  readonly answers: Readonly<Record<string, number>>;
  /** How much of what is judged there was. */
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

const CLIENTS_PER_HOST = 3;

/** Faults of every part of a real cluster, again and again under a load of everything through all hosts; then everything is judged. */
export async function clusterFaults({
  dir,
  cycles,
  seed,
  maxMs = Infinity,
  longestMs,
  kinds,
  settings,
  say = () => {},
  ...parts
}: ClusterFaults): Promise<ClusterReport> {
  const judge = await startJudge(join(dir, 'received'));
  const people = await startPeople({ key: randomBytes(32).toString('hex'), parties: 12, approvers: 6 });
  const closing = async () => void (await Promise.all([judge.stop(), people.close()]));
  const settingsOfAll = { ...raceSettings(judge.url, people), ...settings };
  const cluster = await realCluster({ ...parts, fragile: true, settings: settingsOfAll, say: wordsIn(dir) }).catch(
    async (error: unknown) => {
      await closing();
      throw error;
    },
  );
  try {
    const urls = cluster.hosts.map(({ url }) => url);
    const clients = { clientsPerHost: CLIENTS_PER_HOST, callers: 2 * urls.length, lanes: 4 * urls.length };
    const load = new SystemLoad({ urls, people, random: seeded(seed + 1), ...clients });
    const faults = new Faults(cluster, say);
    const startedAt = Date.now();
    const plan = planFaults({ random: seeded(seed), longestMs, kinds });
    let done = 0;
    for (; done < cycles && Date.now() - startedAt < maxMs; done++) await faults.next(plan.next().value);
    await faults.settled();
    await sleep(2000);
    await load.stop();
    say(`${load.turns.acknowledged.length} turns acknowledged, ${load.race.asked} approvals asked for; judging`);
    const judged = await judgeCluster(cluster, { load, people, judge, pauses: faults.pauses }, say);
    return {
      cycles: done,
      seed,
      faults: faults.counts,
      acknowledged: load.turns.acknowledged.length,
      slowestAnswerMs: Math.round(load.turns.slowestMs),
      ...{ records: judged.records, answers: load.answers, figures: judged.figures },
      violations: [...faults.violations, ...load.violations, ...judged.violations],
    };
  } finally {
    await cluster.stop();
    await closing();
  }
}
