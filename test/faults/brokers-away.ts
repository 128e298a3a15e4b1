import { setTimeout as sleep } from 'node:timers/promises';
import { rounded, type CaseReport, type Say } from './case-report.js';
import { ClusterLoad } from './cluster-load.js';
import type { Violation } from './history.js';
import { post } from './post.js';
import { realCluster, type Cluster, type ClusterNode, type ClusterOptions } from './real-parts.js';
import { seeded } from './seeded.js';
import { readiness } from './well-again.js';

export interface AwayOptions extends Pick<ClusterOptions, 'brokers' | 'hosts' | 'projectors'> {
  readonly awayMs: number;
  readonly say?: Say;
}

const NOTICED_WITHIN_MS = 10_000;
const WELL_WITHIN_MS = 30_000;
const LOOK_MS = 100;
const ANSWER_MS = 60_000;

const every = <T>(cluster: Cluster, ask: (broker: number) => T): T[] => cluster.kafka.bootstrap.map((_, i) => ask(i + 1));

/**
 * Every broker hangs for a while under load: hosts say within 10 s that the log is away, callers are told so by code, and all is well
 * again within 30 s of their return, without a restart.
 */
export async function brokersAway({ awayMs, say, ...parts }: AwayOptions): Promise<CaseReport> {
  const cluster = await realCluster(parts);
  return brokersOfAway(cluster, { awayMs, say }).finally(() => cluster.stop());
}

/** The same to a cluster that is there; it stays. */
export async function brokersOfAway(
  cluster: Cluster,
  { awayMs, say = () => {} }: Pick<AwayOptions, 'awayMs' | 'say'>,
): Promise<CaseReport> {
  const { hosts } = cluster;
  // The last host has nothing to do: it has to notice by itself.
  const load = new ClusterLoad({ urls: hosts.slice(0, -1).map(({ url }) => url), clientsPerHost: 3, random: seeded(1) });
  await sleep(3000);
  every(cluster, (id) => cluster.kafka.pause(id));
  const pausedAt = performance.now();
  say('every broker hangs');
  const noticed = Promise.all(hosts.map((host) => whenReadiness(host, 503, NOTICED_WITHIN_MS * 2)));
  await sleep(awayMs);
  const told = await noticed;
  const violations = told.flatMap((seen, i) => notNoticed(hosts[i]!, seen, pausedAt));
  every(cluster, (id) => cluster.kafka.resume(id));
  const backAt = performance.now();
  say('every broker is back');
  const served = await Promise.all(hosts.map((host) => firstServed(host, WELL_WITHIN_MS * 2)));
  const ready = await Promise.all([...hosts, ...cluster.projectors].map((node) => whenReadiness(node, 200, WELL_WITHIN_MS * 2)));
  for (const [i, { name }] of hosts.entries())
    if (!(served[i]! - backAt <= WELL_WITHIN_MS))
      violations.push({ rule: 'K15', what: `${name} serves no turn ${seconds(WELL_WITHIN_MS)} after` });
  for (const [i, { name }] of [...hosts, ...cluster.projectors].entries())
    if (!(ready[i]!.at - backAt <= WELL_WITHIN_MS))
      violations.push({ rule: 'K15', what: `${name} is not ready ${seconds(WELL_WITHIN_MS)} after: ${ready[i]!.problems.join('; ')}` });
  await load.stop();
  const refused = Object.entries(load.answers).reduce((sum, [name, count]) => sum + (name.startsWith('503') ? count : 0), 0);
  if (refused === 0) violations.push({ rule: 'E7', what: 'no caller was told that the log is away' });
  return {
    figures: rounded({
      'noticed after, worst': Math.max(...told.map(({ at }) => at - pausedAt)),
      'serving again after, worst': Math.max(...served) - backAt,
      'ready again after, worst': Math.max(...ready.map(({ at }) => at)) - backAt,
      'slowest answer': load.slowestMs,
    }),
    answers: load.answers,
    violations: [...violations, ...load.violations],
  };
}

interface Seen {
  /** By performance.now(); NaN for never. */
  readonly at: number;
  readonly problems: readonly string[];
}

function notNoticed({ name }: ClusterNode, { at, problems }: Seen, since: number): Violation[] {
  if (!(at - since <= NOTICED_WITHIN_MS)) return [{ rule: 'K15', what: `${name} still called itself ready after ${seconds(at - since)}` }];
  return problems.some((problem) => /log|Kafka/.test(problem))
    ? []
    : [{ rule: 'D2', what: `${name} does not say why: ${problems.join('; ')}` }];
}

/** When `/ready` first answers so, with a problem of these words where they are given. */
export async function whenReadiness({ url }: ClusterNode, status: number, limitMs: number, words = /(?:)/): Promise<Seen> {
  for (const end = performance.now() + limitMs; ; await sleep(LOOK_MS)) {
    const seen = await readiness(url);
    const isSo = seen.status === status && (status === 200 || seen.problems.some((problem) => words.test(problem)));
    if (isSo || performance.now() > end) return { at: isSo ? performance.now() : NaN, problems: seen.problems };
  }
}

async function firstServed({ url }: ClusterNode, limitMs: number): Promise<number> {
  for (const end = performance.now() + limitMs; performance.now() < end; await sleep(LOOK_MS))
    if ((await post(`${url}/invoke`, { input: 'again' }, ANSWER_MS)).status === 200) return performance.now();
  return NaN;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
