import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import type { KafkaCluster } from './real-parts.js';

/** The longest time between two signs of each partition. */
export class Gaps {
  readonly #last = new Map<number, number>();
  readonly #longest = new Map<number, number>();

  /** Forgets the gaps so far, not the last signs. */
  begin(): void {
    this.#longest.clear();
  }

  sign(partition: number): void {
    const now = performance.now();
    this.#see(partition, now);
    this.#last.set(partition, now);
  }

  /** In ms; a gap that lasts counts up to now. */
  longest(): ReadonlyMap<number, number> {
    const now = performance.now();
    for (const partition of this.#last.keys()) this.#see(partition, now);
    return this.#longest;
  }

  worst(): number {
    return Math.max(...this.longest().values());
  }

  #see(partition: number, now: number): void {
    const last = this.#last.get(partition);
    if (last !== undefined) this.#longest.set(partition, Math.max(now - last, this.#longest.get(partition) ?? 0));
  }
}

const LOOK_MS = 50;

/** How long each partition of a topic has no leader but the killed one, by the metadata of the others. */
export class LeaderWatch {
  readonly #admin: kafkajs.Admin;
  readonly #topic: string;
  readonly #killed: number;
  readonly #ms = new Map<number, number>();
  #since = Infinity;
  #isOver = false;
  #watching?: Promise<void>;

  private constructor(admin: kafkajs.Admin, topic: string, killed: number) {
    this.#admin = admin;
    this.#topic = topic;
    this.#killed = killed;
  }

  static async open({ bootstrap }: KafkaCluster, killed: number, topic: string): Promise<LeaderWatch> {
    const admin = new kafkajs.Kafka({
      brokers: bootstrap.filter((_, i) => i + 1 !== killed),
      logLevel: kafkajs.logLevel.NOTHING,
      connectionTimeout: 500,
      requestTimeout: 500,
      retry: { retries: 0 },
    }).admin();
    await admin.connect();
    return new LeaderWatch(admin, topic, killed);
  }

  begin(): void {
    this.#since = performance.now();
    this.#watching = this.#watch();
  }

  async close(): Promise<ReadonlyMap<number, number>> {
    this.#isOver = true;
    await this.#watching;
    await this.#admin.disconnect();
    return this.#ms;
  }

  async #watch(): Promise<void> {
    for (; !this.#isOver; await sleep(LOOK_MS)) {
      const metadata = await this.#admin.fetchTopicMetadata({ topics: [this.#topic] }).catch(() => undefined);
      const ms = performance.now() - this.#since;
      for (const { partitionId, leader } of metadata?.topics[0]?.partitions ?? [])
        if (leader === this.#killed || leader < 0) this.#ms.set(partitionId, ms);
        else if (!this.#ms.has(partitionId)) this.#ms.set(partitionId, 0);
    }
  }
}
