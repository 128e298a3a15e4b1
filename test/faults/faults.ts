import { setTimeout as sleep } from 'node:timers/promises';
import type { Say } from './case-report.js';
import { partOf, type PlannedFault } from './fault-plan.js';
import type { Violation } from './history.js';
import type { Cluster, Link } from './real-parts.js';
import { wellAgain } from './well-again.js';
import type { Pause } from './zombies/judgement.js';

/** Brings faults over a cluster: at most two at once, never two of one part of it. */
export class Faults {
  /** How often each kind came. */
  readonly counts: Record<string, number> = {};
  readonly violations: Violation[] = [];
  readonly pauses: Pause[] = [];
  readonly #away = new Map<string, Promise<void>>();
  #count = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly say: Say,
  ) {}

  /** Begins a fault, after those before it unless it overlaps. */
  async next(fault: PlannedFault): Promise<void> {
    const part = partOf(fault.kind);
    if (!fault.overlaps || this.#away.size > 1 || this.#away.has(part)) {
      await this.settled();
      await sleep(fault.calmMs);
    }
    const away = this.#bring(fault).finally(() => this.#away.delete(part));
    this.#away.set(part, away);
    await sleep(fault.calmMs);
  }

  /** Resolves when what was hit is well again. */
  async settled(): Promise<void> {
    await Promise.all(this.#away.values());
  }

  async #bring(fault: PlannedFault): Promise<void> {
    const { kind, awayMs } = fault;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    const number = ++this.#count;
    const startedAt = Date.now();
    let hit = kind as string;
    try {
      hit = await this.#hit(fault);
    } catch (error) {
      this.violations.push({ rule: 'K15', what: `after ${kind} (fault ${number}): ${(error as Error).message}` });
    }
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    this.say(`${number}: ${kind} ${hit}, away ${seconds(awayMs)} s, well again after ${seconds(Date.now() - startedAt)} s`);
  }

  /** @returns what it hit */
  async #hit(fault: PlannedFault): Promise<string> {
    const { cluster } = this;
    const { hosts, projectors } = cluster;
    switch (partOf(fault.kind)) {
      case 'broker':
        return this.#hitBroker(fault);
      case 'postgres':
        await cluster.postgres.kill();
        await sleep(fault.awayMs);
        await cluster.postgres.restart();
        for (const node of [...hosts, ...projectors]) await wellAgain(cluster, node.name);
        return 'postgres';
      default: {
        const nodes = partOf(fault.kind) === 'host' ? hosts : projectors;
        const { name } = nodes[Math.floor(fault.at * nodes.length)]!;
        const how = await this.#hitNode(fault, name);
        await wellAgain(cluster, name);
        return how;
      }
    }
  }

  async #hitBroker({ kind, at, awayMs }: PlannedFault): Promise<string> {
    const { kafka } = this.cluster;
    const brokers = kafka.bootstrap.length;
    const id = 1 + Math.floor(at * brokers);
    switch (kind) {
      case 'broker-isr': {
        // All but one: what is left may lead and may not take a write.
        const others = kafka.bootstrap.map((_, i) => i + 1).filter((one) => one !== id);
        for (const one of others) await kafka.kill(one);
        await sleep(awayMs);
        await Promise.all(others.map((one) => kafka.restart(one)));
        return `all but broker-${id}`;
      }
      case 'broker-disk': {
        if (!kafka.disk) return 'no small disk';
        kafka.disk.fill();
        await kafka.ended(brokers, awayMs);
        kafka.disk.free();
        await kafka.restart(brokers);
        return `broker-${brokers}`;
      }
      case 'broker-kill':
        await kafka.kill(id);
        await sleep(awayMs);
        await kafka.restart(id);
        return `broker-${id}`;
      default:
        kafka.pause(id);
        await sleep(awayMs);
        kafka.resume(id);
        await kafka.ready(brokers);
        return `broker-${id}`;
    }
  }

  async #hitNode({ kind, at, awayMs }: PlannedFault, name: string): Promise<string> {
    const { cluster } = this;
    /** Independent of which host it is. */
    const how = (at * cluster.hosts.length) % 1;
    switch (kind) {
      case 'host-cut-kafka':
      case 'host-cut-postgres': {
        const ways = cluster.ways(name);
        const links =
          kind === 'host-cut-postgres' ? [ways.database] : how < 0.5 ? ways.kafka : [ways.kafka[Math.floor(at * 997) % ways.kafka.length]!];
        return `${name} (${await cutFor(links, (at * 991) % 1 < 0.7 ? 'hang' : 'reset', awayMs)})`;
      }
      case 'host-clock': {
        const shiftMs = CLOCK_JUMPS[Math.floor(how * CLOCK_JUMPS.length)]!;
        cluster.setClock(name, shiftMs);
        await sleep(awayMs);
        cluster.setClock(name, 0);
        return `${name} by ${shiftMs / 1000} s`;
      }
      case 'host-pause':
      case 'projector-pause': {
        const from = Date.now();
        cluster.pause(name);
        await sleep(awayMs);
        this.pauses.push({ host: name, from, to: Date.now() });
        cluster.resume(name);
        return name;
      }
      default:
        await cluster.kill(name);
        await sleep(awayMs);
        cluster.start(name);
        return name;
    }
  }
}

const CLOCK_JUMPS = [3_600_000, -3_600_000, 31_000, -31_000, 600_000, -2000] as const;

async function cutFor(links: readonly Link[], how: 'hang' | 'reset', awayMs: number): Promise<string> {
  for (const link of links) link.cut(how);
  await sleep(awayMs);
  for (const link of links) link.heal();
  return `${how} of ${links.length}`;
}
