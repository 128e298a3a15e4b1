import { setTimeout as sleep } from 'node:timers/promises';
import type { Say } from '../case-report.js';
import type { Violation } from '../history.js';
import type { Cluster, ClusterNode } from '../real-parts.js';
import { wellAgain } from '../well-again.js';
import type { LoggedRecord } from './found-on-log.js';
import type { Pause } from './judgement.js';
import type { LiveFold } from './live-fold.js';
import type { PlannedPause } from './pause-plan.js';

/** A host that has nothing to do is stopped all the same after so long. */
const WAIT_MS = 5000;

/** Stops hosts of a cluster as planned: at most two at once, never all of them. */
export class Pauser {
  readonly pauses: Pause[] = [];
  readonly violations: Violation[] = [];
  readonly #away = new Map<string, Promise<void>>();

  constructor(
    private readonly cluster: Cluster,
    private readonly live: LiveFold,
    /** Has many calls come to a host at once. */
    private readonly burst: (host: ClusterNode) => void,
    private readonly say: Say,
  ) {}

  async next(planned: PlannedPause): Promise<void> {
    const { hosts } = this.cluster;
    const host = hosts[Math.floor(planned.at * hosts.length)]!;
    const { name } = host;
    if (this.#away.has(name) || this.#away.size >= Math.min(2, hosts.length - 1)) await this.settled();
    const away = this.#stop(host, planned).finally(() => this.#away.delete(name));
    this.#away.set(name, away);
    if (!planned.overlaps) await away;
    await sleep(planned.calmMs);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#away.values());
  }

  async #stop(node: ClusterNode, { after, nth, awayMs }: PlannedPause): Promise<void> {
    const { name: host } = node;
    let from = 0;
    const stop = () => {
      from = Date.now();
      this.cluster.pause(host);
    };
    if (after !== 'none') {
      this.burst(node);
      const { runs } = this.live.fold;
      const ofHost = ({ type, data }: LoggedRecord) => type === after && (data.hostId ?? runs.get(data.runId)?.hostId) === host;
      await this.live.at(nth, ofHost, stop, AbortSignal.timeout(WAIT_MS));
    }
    if (from === 0) stop();
    await sleep(awayMs);
    this.pauses.push({ host, from, to: Date.now() });
    this.cluster.resume(host);
    await wellAgain(this.cluster, host).catch((error: Error) =>
      this.violations.push({ rule: 'K15', what: `${host} after a pause: ${error.message}` }),
    );
    this.say(`${this.pauses.length}: ${host} stopped for ${(awayMs / 1000).toFixed(1)} s after ${after} ${nth}`);
  }
}
