import type { PartitionRange } from '@doorledger/event-log';
import { WebhookError } from './errors.js';
import { Lane, type LaneOptions } from './lane.js';
import { Outbox, type OutboxOptions } from './outbox.js';
import type { DeadLetter, EndpointCounts, WebhookStore } from './webhook-store.js';
import type { Endpoint } from './endpoint.js';

export interface WebhooksOptions extends Omit<LaneOptions, 'endpoint'>, Pick<OutboxOptions, 'logId' | 'read' | 'link'> {
  readonly endpoints: readonly Endpoint[];
  /** What the session topic holds now. */
  readonly ends: readonly PartitionRange[];
}

export interface EndpointStatus {
  readonly endpoint: string;
  readonly events: readonly string[];
  readonly state: 'active' | 'disabled';
  readonly waiting: number;
  readonly dead: number;
}

/**
 * Tells endpoints by signed webhooks that requests for consent wait and how they end (N54): beside the projector, which knows nothing of it.
 * It takes the store over.
 */
export class Webhooks {
  readonly #store: WebhookStore;
  readonly #endpoints: readonly Endpoint[];
  readonly #lanes: ReadonlyMap<string, Lane>;
  readonly #outbox: Outbox;
  readonly #now: () => number;

  private constructor(options: WebhooksOptions, places: readonly number[]) {
    const { store, endpoints, now = Date.now } = options;
    this.#store = store;
    this.#endpoints = endpoints;
    this.#now = now;
    this.#lanes = new Map(endpoints.map((endpoint) => [endpoint.name, new Lane({ ...options, endpoint })]));
    this.#outbox = new Outbox({ ...options, backlog: options.limits.backlog, now, onKept: () => this.#wakeAll() }, places);
  }

  /**
   * Begins where the last process left off; on a log that it meets for the first time, at its end.
   * @throws WebhookError `ERR_WEBHOOKS_AHEAD` where more was told of than the log holds
   */
  static async open(options: WebhooksOptions): Promise<Webhooks> {
    const { store, endpoints, logId, ends } = options;
    const places = await store.begin(
      logId,
      ends.map(({ end }) => end),
    );
    if (ends.some(({ end }, partition) => places[partition]! > end))
      throw new WebhookError(
        'ERR_WEBHOOKS_AHEAD',
        'Webhooks were sent of records that are not on the log any more: put back the log that belongs to them, or take their file (webhooks.db) or tables away; they then begin at the end of this log.',
      );
    for (const { name, url } of endpoints) await store.moved(name, url);
    const webhooks = new Webhooks(options, places);
    webhooks.#wakeAll();
    webhooks.notice(places.keys());
    return webhooks;
  }

  /** These partitions of the session topic are this process's to follow now; what whoever had them was sending may be due. */
  takeUp(partitions: Iterable<number>): void {
    this.#outbox.takeUp(partitions);
    this.#wakeAll();
  }

  /** The ledger has more of these partitions of the session topic. */
  notice(partitions: Iterable<number>): void {
    this.#outbox.notice(partitions);
  }

  /** Every endpoint of this process, and those that something is kept of. */
  async status(): Promise<EndpointStatus[]> {
    const counts = new Map((await this.#store.counts()).map((of) => [of.endpoint, of]));
    const known = this.#endpoints.map(({ name, events }) =>
      statusOf(counts.get(name) ?? { endpoint: name, waiting: 0, dead: 0 }, [...events]),
    );
    const others = [...counts.values()].filter(({ endpoint }) => !this.#lanes.has(endpoint));
    return [...known, ...others.map((of) => statusOf(of, []))];
  }

  deadLetters(page: Parameters<WebhookStore['deadLetters']>[0]): Promise<DeadLetter[]> {
    return this.#store.deadLetters(page);
  }

  /** How many are sent anew. */
  async redeliver(which: Parameters<WebhookStore['redeliver']>[0]): Promise<number> {
    const revived = await this.#store.redeliver(which, this.#now());
    for (const endpoint of revived.keys()) this.#lanes.get(endpoint)?.wake();
    return [...revived.values()].reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    await this.#outbox.close();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
    await this.#store.close();
  }

  #wakeAll(): void {
    for (const lane of this.#lanes.values()) lane.wake();
  }
}

const statusOf = ({ endpoint, waiting, dead, disabledAt }: EndpointCounts, events: readonly string[]): EndpointStatus => ({
  endpoint,
  events,
  state: disabledAt === undefined ? 'active' : 'disabled',
  waiting,
  dead,
});
