import { setTimeout as sleep } from 'node:timers/promises';
import type { Say } from '../faults/case-report.js';
import type { FaultKind, PlannedFault } from '../faults/fault-plan.js';
import type { Violation } from '../faults/history.js';
import type { Cluster } from '../faults/real-parts.js';
import { wellAgain } from '../faults/well-again.js';
import type { Pause } from '../faults/zombies/judgement.js';

export const raceKinds: readonly FaultKind[] = ['host-kill', 'host-pause', 'broker-kill', 'broker-pause'];

/** Kills and stops hosts and brokers of a cluster, one at a time. */
export class RaceFaults {
  readonly counts: Record<string, number> = {};
  readonly pauses: Pause[] = [];
  readonly violations: Violation[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly say: Say,
  ) {}

  /** Resolves when all is well again. */
  async bring({ kind, at, awayMs }: PlannedFault): Promise<void> {
    const { kafka, hosts } = this.cluster;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    const { name } = hosts[Math.floor(at * hosts.length)]!;
    const broker = 1 + Math.floor(at * kafka.bootstrap.length);
    const from = Date.now();
    try {
      switch (kind) {
        case 'host-kill':
          await this.cluster.kill(name);
          await sleep(awayMs);
          this.cluster.start(name);
          break;
        case 'host-pause':
          this.cluster.pause(name);
          await sleep(awayMs);
          this.pauses.push({ host: name, from, to: Date.now() });
          this.cluster.resume(name);
          break;
        case 'broker-kill':
          await kafka.kill(broker);
          await sleep(awayMs);
          await kafka.restart(broker);
          break;
        case 'broker-pause':
          kafka.pause(broker);
          await sleep(awayMs);
          kafka.resume(broker);
          await kafka.ready(kafka.bootstrap.length);
          break;
        default:
          throw new Error(`${kind} is no fault of a race`);
      }
      for (const host of hosts) await wellAgain(this.cluster, host.name);
    } catch (error) {
      this.violations.push({ rule: 'K15', what: `after ${kind}: ${(error as Error).message}` });
    }
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    this.say(`${kind}, away ${seconds(awayMs)} s, all well again after ${seconds(Date.now() - from)} s`);
  }
}
