import { setTimeout as sleep } from 'node:timers/promises';
import { judgeCluster } from './cluster-judge.js';
import { ClusterLoad } from './cluster-load.js';
import { partOf, planFaults, type PlannedFault, type PlanOptions } from './fault-plan.js';
import type { Violation } from './history.js';
import { realCluster, type Cluster, type ClusterOptions } from './real-parts.js';
import { wellAgain } from './well-again.js';
import { seeded } from './seeded.js';

export interface ClusterFaults extends Pick<ClusterOptions, 'brokers' | 'hosts' | 'projectors' | 'settings'>, Omit<PlanOptions, 'random'> {
  readonly cycles: number;
  readonly seed: number;
  /** No cycle begins after so many ms. */
  readonly maxMs?: number;
  readonly say?: (line: string) => void;
  /** Told what the processes say on stderr. */
  readonly onWords?: (name: string, text: string) => void;
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
  readonly violations: readonly Violation[];
}

/** Faults of every part of a real cluster, again and again under load through all hosts; then everything is judged. */
export async function clusterFaults({
  cycles,
  seed,
  maxMs = Infinity,
  longestMs,
  kinds,
  say = () => {},
  onWords,
  ...parts
}: ClusterFaults): Promise<ClusterReport> {
  const cluster = await realCluster({ ...parts, say: onWords });
  try {
    const load = new ClusterLoad({ urls: cluster.hosts.map(({ url }) => url), clientsPerHost: 6, random: seeded(seed + 1) });
    const faults = new Faults(cluster, say);
    const startedAt = Date.now();
    const plan = planFaults({ random: seeded(seed), longestMs, kinds });
    let done = 0;
    for (; done < cycles && Date.now() - startedAt < maxMs; done++) await faults.next(plan.next().value);
    await faults.settled();
    await sleep(2000);
    await load.stop();
    say(`${load.acknowledged.length} turns acknowledged; judging`);
    const judged = await judgeCluster(cluster, load, say);
    return {
      cycles: done,
      seed,
      faults: faults.counts,
      acknowledged: load.acknowledged.length,
      slowestAnswerMs: Math.round(load.slowestMs),
      records: judged.records,
      answers: load.answers,
      violations: [...faults.violations, ...load.violations, ...judged.violations],
    };
  } finally {
    await cluster.stop();
  }
}

/** Brings faults over a cluster: at most two at once, never two of one part of it. */
class Faults {
  readonly counts: Record<string, number> = {};
  readonly violations: Violation[] = [];
  readonly #cluster: Cluster;
  readonly #say: (line: string) => void;
  readonly #away = new Map<string, Promise<void>>();
  #count = 0;

  constructor(cluster: Cluster, say: (line: string) => void) {
    this.#cluster = cluster;
    this.#say = say;
  }

  /** Begins a fault, after those before it unless it overlaps. */
  async next(fault: PlannedFault): Promise<void> {
    const part = partOf(fault.kind);
    if (!fault.overlaps || this.#away.size > 1 || this.#away.has(part)) {
      await this.settled();
      await sleep(fault.calmMs);
    }
    this.counts[fault.kind] = (this.counts[fault.kind] ?? 0) + 1;
    const away = this.#bring(fault).finally(() => this.#away.delete(part));
    this.#away.set(part, away);
    await sleep(fault.calmMs);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#away.values());
  }

  async #bring(fault: PlannedFault): Promise<void> {
    const { kind, at, awayMs } = fault;
    const { kafka, postgres, hosts, projectors } = this.#cluster;
    const name = nameOf(fault, this.#cluster);
    const number = ++this.#count;
    const startedAt = Date.now();
    try {
      switch (kind) {
        case 'broker-kill':
        case 'broker-pause': {
          const id = 1 + Math.floor(at * kafka.bootstrap.length);
          if (kind === 'broker-kill') await kafka.kill(id);
          else kafka.pause(id);
          await sleep(awayMs);
          if (kind === 'broker-kill') await kafka.restart(id);
          else {
            kafka.resume(id);
            await kafka.ready(kafka.bootstrap.length);
          }
          break;
        }
        case 'host-kill':
        case 'projector-kill':
          await this.#cluster.kill(name);
          await sleep(awayMs);
          this.#cluster.start(name);
          await wellAgain(this.#cluster, name);
          break;
        case 'host-pause':
        case 'projector-pause':
          this.#cluster.pause(name);
          await sleep(awayMs);
          this.#cluster.resume(name);
          await wellAgain(this.#cluster, name);
          break;
        case 'postgres-kill':
          await postgres.kill();
          await sleep(awayMs);
          await postgres.restart();
          for (const node of [...hosts, ...projectors]) await wellAgain(this.#cluster, node.name);
      }
    } catch (error) {
      this.violations.push({ rule: 'K15', what: `after ${kind} of ${name} (fault ${number}): ${(error as Error).message}` });
    }
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    this.#say(`${number}: ${kind} ${name}, away ${seconds(awayMs)} s, well again after ${seconds(Date.now() - startedAt)} s`);
  }
}

function nameOf({ kind, at }: PlannedFault, { kafka, hosts, projectors }: Cluster): string {
  const part = partOf(kind);
  if (part === 'broker') return `broker-${1 + Math.floor(at * kafka.bootstrap.length)}`;
  if (part === 'postgres') return 'postgres';
  const nodes = part === 'host' ? hosts : projectors;
  return nodes[Math.floor(at * nodes.length)]!.name;
}
