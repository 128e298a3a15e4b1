import { setTimeout as sleep } from 'node:timers/promises';
import { type BrokerAddress, BrokerLink, type Metadata } from './broker-link.js';
import { brokerError } from './broker-errors.js';
import { type KafkaConnectionOptions, shuffled, timeoutsOf } from './kafka-options.js';

/** However many ask at once, the metadata is fetched at most every so many ms. */
const MIN_REFRESH_MS = 50;
const NO_LEADER = -1;

/**
 * Which broker leads which partition, as of the last metadata. Refreshed on its own clock and whenever somebody asks; a broker
 * that does not answer in time is left for another one, and the last known view stays meanwhile.
 */
export class ClusterView {
  readonly options: KafkaConnectionOptions;
  readonly #topics: readonly string[];
  readonly #links = new Map<number, Promise<BrokerLink>>();
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #leaders = new Map<string, number[]>();
  #addresses = new Map<number, BrokerAddress>();
  #clusterId = '';
  #source?: BrokerLink;
  #version = 0;
  #refreshing?: Promise<void>;

  private constructor(options: KafkaConnectionOptions, topics: readonly string[]) {
    this.options = options;
    this.#topics = topics;
  }

  /** @throws what the last of the brokers asked answered, if none gave the cluster's metadata. */
  static async open(options: KafkaConnectionOptions, topics: readonly string[]): Promise<ClusterView> {
    const view = new ClusterView(options, topics);
    await view.#load();
    void view.#runClock();
    return view;
  }

  get clusterId(): string {
    return this.#clusterId;
  }

  /** Grows with every metadata. */
  get version(): number {
    return this.#version;
  }

  /** Partition count of each topic that exists. */
  partitionsOf(topic: string): number {
    return this.#leaders.get(topic)?.length ?? 0;
  }

  /** The leader's node id, or undefined while there is none. */
  leaderOf(topic: string, partition: number): number | undefined {
    const leader = this.#leaders.get(topic)?.[partition] ?? NO_LEADER;
    return leader === NO_LEADER || !this.#addresses.has(leader) ? undefined : leader;
  }

  addressOf(nodeId: number): BrokerAddress | undefined {
    return this.#addresses.get(nodeId);
  }

  /** The node ids of the brokers that are up. */
  get nodes(): number[] {
    return [...this.#addresses.keys()];
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves after the next metadata, or once no broker gave any. Never rejects. */
  refresh(): Promise<void> {
    return (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
  }

  /** A connection for short requests; shared, so nothing that waits at the broker may be sent on it. */
  link(nodeId: number): Promise<BrokerLink> {
    const known = this.#links.get(nodeId);
    if (known) return known;
    const address = this.#addresses.get(nodeId);
    if (!address || this.isClosed) return Promise.reject(new Error(`broker ${nodeId} is not known`));
    const link = BrokerLink.open(address, this.options);
    this.#links.set(nodeId, link);
    link.catch(() => this.#forget(nodeId, link));
    return link;
  }

  /** After a request on it failed. */
  dropLink(nodeId: number): void {
    const link = this.#links.get(nodeId);
    if (link) this.#forget(nodeId, link);
  }

  close(): void {
    this.#closing.abort();
    this.#listeners.clear();
    this.#source?.close();
    for (const nodeId of [...this.#links.keys()]) this.dropLink(nodeId);
  }

  #forget(nodeId: number, link: Promise<BrokerLink>): void {
    if (this.#links.get(nodeId) === link) this.#links.delete(nodeId);
    link.then(
      (open) => open.close(),
      () => {},
    );
  }

  async #runClock(): Promise<void> {
    const { signal } = this.#closing;
    const { metadata } = timeoutsOf(this.options);
    while (!signal.aborted) {
      await sleep(metadata, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await this.refresh();
    }
  }

  async #refresh(): Promise<void> {
    const pause = sleep(MIN_REFRESH_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
    if (!this.isClosed) await this.#load().catch(() => {});
    await pause;
  }

  /** From the broker that answered last, else from any other known one, else from a seed. */
  async #load(): Promise<void> {
    let failure: unknown;
    if (this.#source) {
      try {
        return this.#take(await this.#source.metadata(this.#topics));
      } catch {
        this.#source.close();
        this.#source = undefined;
      }
    }
    for (const address of shuffled([...this.#addresses.values(), ...this.options.brokers.map(seedAddress)])) {
      if (this.isClosed) return;
      let link: BrokerLink | undefined;
      try {
        link = await BrokerLink.open(address, this.options);
        this.#take(await link.metadata(this.#topics));
        this.#source = link;
        if (this.isClosed) link.close();
        return;
      } catch (error) {
        failure = error;
        link?.close();
      }
    }
    throw failure;
  }

  #take({ brokers, clusterId, topicMetadata }: Metadata): void {
    if (this.isClosed) return;
    this.#clusterId = clusterId;
    this.#addresses = new Map(brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    for (const nodeId of this.#links.keys()) if (!this.#addresses.has(nodeId)) this.dropLink(nodeId);
    const leaders = new Map<string, number[]>();
    for (const { topic, topicErrorCode, partitionMetadata } of topicMetadata) {
      if (topicErrorCode !== brokerError.none) continue;
      const ofTopic = new Array<number>(partitionMetadata.length).fill(NO_LEADER);
      for (const { partitionId, leader } of partitionMetadata) ofTopic[partitionId] = leader;
      leaders.set(topic, ofTopic);
    }
    this.#leaders = leaders;
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

function seedAddress(seed: string): BrokerAddress {
  const colon = seed.lastIndexOf(':');
  return { host: seed.slice(0, colon), port: Number(seed.slice(colon + 1)) };
}
