import type { NewsRange } from '@doorledger/ledger';
import { hears, type Endpoint } from './endpoint.js';
import type { WebhookHooks } from './lane.js';
import { webhookEventOf } from './webhook-event.js';
import type { WebhookStore } from './webhook-store.js';

export interface OutboxOptions extends Pick<WebhookHooks, 'onOutage'> {
  readonly store: WebhookStore;
  readonly logId: string;
  readonly endpoints: readonly Endpoint[];
  /** What the ledger says of at most `limit` offsets of a partition of the session topic. */
  readonly read: (partition: number, from: number, limit: number) => Promise<NewsRange>;
  /** Template of the link to where a request is decided. */
  readonly link?: string;
  readonly backlog: number;
  readonly now: () => number;
  /** Something is to be sent. */
  readonly onKept: () => void;
}

const RANGE = 1_000;
/** A place that moved over nothing to tell is not worth a commit: so many records are read again after a crash, at most. */
const KEEP_EVERY = 10_000;
const AGAIN_MS = 1_000;

interface Reading {
  /** As the store has it. */
  kept: number;
  at: number;
}

/**
 * Follows the session topic as the ledger has judged it, from its own places, and keeps what is to be told (N54): a record that counts for
 * nothing is nothing to tell. Place and deliveries move together, so nothing is lost, and nothing is kept twice by two processes.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #readings: Reading[];
  readonly #noticed = new Set<number>();
  /** Whose places may have moved while another process followed them. */
  readonly #taken = new Set<number>();
  #running?: Promise<void>;
  #retry?: NodeJS.Timeout;
  #isOut = false;
  #isClosed = false;

  constructor(options: OutboxOptions, places: readonly number[]) {
    this.#options = options;
    this.#readings = places.map((place) => ({ kept: place, at: place }));
  }

  /** These partitions are this process's to follow now: from where whoever had them left off. */
  takeUp(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#taken.add(partition);
    this.notice(this.#taken);
  }

  /** The ledger has more of these partitions. */
  notice(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#noticed.add(partition);
    if (this.#isClosed || this.#noticed.size === 0) return;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#running;
    for (const partition of this.#readings.keys()) await this.#keep(partition).catch(() => undefined);
  }

  async #run(): Promise<void> {
    for (const partition of this.#noticed) {
      if (this.#isClosed) break;
      this.#noticed.delete(partition);
      try {
        await this.#follow(partition);
        this.#isOut = false;
      } catch (error) {
        if (!this.#isOut) this.#options.onOutage?.(error);
        this.#isOut = true;
        this.#noticed.add(partition);
        this.#retry = setTimeout(() => this.notice([]), AGAIN_MS);
        this.#retry.unref();
        break;
      }
    }
    // In the same turn as the last look: what is noticed from here on starts anew.
    this.#running = undefined;
  }

  async #follow(partition: number): Promise<void> {
    const { read, endpoints, link, store, logId, backlog, now, onKept } = this.#options;
    const reading = this.#readings[partition]!;
    if (this.#taken.has(partition)) await this.#reload(partition);
    this.#taken.delete(partition);
    while (!this.#isClosed) {
      const { to, end, news } = await read(partition, reading.at, RANGE);
      const events = news.map((of) => webhookEventOf(of, link));
      const deliveries = events.flatMap((event) =>
        endpoints
          .filter((endpoint) => hears(endpoint, event))
          .map(({ name }) => ({ endpoint: name, eventId: event.id, type: event.type, requestId: event.requestId, body: event.body })),
      );
      if (deliveries.length > 0 || to - reading.kept >= KEEP_EVERY) {
        const outcome = await store.enqueue({ logId, partition, from: reading.kept, to }, deliveries, backlog, now());
        if (outcome === 'stale') {
          // Another process follows this partition, or did: what it kept is not kept again.
          await this.#reload(partition);
          continue;
        }
        reading.kept = to;
        if (deliveries.length > 0) onKept();
      }
      reading.at = to;
      if (to >= end) return;
    }
  }

  async #reload(partition: number): Promise<void> {
    const { store, logId } = this.#options;
    const place = (await store.begin(logId, []))[partition]!;
    this.#readings[partition]!.kept = this.#readings[partition]!.at = place;
  }

  /** Lost to another process, it is as good. */
  async #keep(partition: number): Promise<void> {
    const { store, logId, backlog, now } = this.#options;
    const { kept: from, at: to } = this.#readings[partition]!;
    if (to > from) await store.enqueue({ logId, partition, from, to }, [], backlog, now());
  }
}
