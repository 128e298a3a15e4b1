import { attempt, type AttemptEnd } from './attempt.js';
import { waitAfter } from './backoff.js';
import type { Endpoint } from './endpoint.js';
import type { Leased, WebhookStore } from './webhook-store.js';

export interface Limits {
  readonly timeoutMs: number;
  /** Most tries of a delivery. */
  readonly tries: number;
  /** Most deliveries that may wait for one endpoint. */
  readonly backlog: number;
}

/** What the people who run it are told: names and ids, never an address, a secret or a text of somebody else's. */
export interface WebhookHooks {
  readonly onDead?: (letter: {
    readonly endpoint: string;
    readonly eventId: string;
    readonly status?: number;
    readonly error?: string;
  }) => void;
  readonly onDisabled?: (endpoint: string) => void;
  /** Once each time the ledger or the store stops answering. */
  readonly onOutage?: (error: unknown) => void;
}

export interface LaneOptions extends WebhookHooks {
  readonly endpoint: Endpoint;
  readonly store: WebhookStore;
  readonly limits: Limits;
  readonly now?: () => number;
  /** How long after its n-th try a delivery waits, ms. */
  readonly wait?: typeof waitAfter;
}

/** Each endpoint has its own, so that a slow one holds nobody else up. */
const AT_ONCE = 4;
/** After the time-out, for what comes after it. */
const LEASE_MORE_MS = 2_000;
const AGAIN_MS = 1_000;
/** Between processes there is no signal: what a process that died left behind is looked for. */
const LOOK_EVERY_MS = 15_000;

/** The deliveries of one endpoint: a few at once, the others wait in the store (N54). */
export class Lane {
  readonly #options: LaneOptions;
  readonly #now: () => number;
  readonly #flying = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #filling?: Promise<void>;
  #isWoken = false;
  #timer?: NodeJS.Timeout;
  #isOut = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Something may be due. */
  wake(): void {
    this.#isWoken = true;
    if (this.#closing.signal.aborted) return;
    this.#filling ??= this.#fill();
  }

  /** What is under way is broken off and given back: it may have arrived, and will then arrive once more. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#filling;
    await Promise.all(this.#flying);
  }

  async #fill(): Promise<void> {
    while (this.#isWoken && !this.#closing.signal.aborted) {
      this.#isWoken = false;
      try {
        await this.#take();
        this.#isOut = false;
      } catch (error) {
        if (!this.#isOut) this.#options.onOutage?.(error);
        this.#isOut = true;
        this.#wakeIn(AGAIN_MS);
      }
    }
    // In the same turn as the last look: who wakes it from here on starts anew.
    this.#filling = undefined;
  }

  async #take(): Promise<void> {
    const { store, endpoint, limits } = this.#options;
    const free = AT_ONCE - this.#flying.size;
    if (free === 0) return;
    const now = this.#now();
    const leased = await store.lease(endpoint.name, free, now, now + limits.timeoutMs + LEASE_MORE_MS);
    for (const delivery of leased) this.#send(delivery);
    if (leased.length === free) return;
    const due = (await store.nextDue(endpoint.name)) ?? Infinity;
    this.#wakeIn(Math.min(due - this.#now(), store.isShared ? LOOK_EVERY_MS : Infinity));
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    if (ms === Infinity || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), Math.max(ms, 1));
    this.#timer.unref();
  }

  #send(delivery: Leased): void {
    const sending = this.#try(delivery)
      // The store does not answer: the lease ends by itself, and it is tried once more.
      .catch((error: unknown) => this.#options.onOutage?.(error))
      .finally(() => {
        this.#flying.delete(sending);
        this.wake();
      });
    this.#flying.add(sending);
  }

  async #try(delivery: Leased): Promise<void> {
    const { store, endpoint, limits } = this.#options;
    const { eventId: id, body } = delivery;
    const { signal } = this.#closing;
    const end = await attempt({ endpoint, event: { id, body }, timeoutMs: limits.timeoutMs, signal, now: this.#now() });
    if (end.kind === 'delivered') return store.delivered(delivery);
    if (signal.aborted) return store.release(delivery, this.#now());
    await this.#failed(delivery, end);
  }

  async #failed(delivery: Leased, { isGone, status, error, retryAfterMs }: Extract<AttemptEnd, { kind: 'failed' }>): Promise<void> {
    const { store, endpoint, limits, wait = waitAfter, onDead, onDisabled } = this.#options;
    const { name, url } = endpoint;
    const end = { ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
    if (isGone) {
      await store.disable(delivery, name, url, end, this.#now());
      onDisabled?.(name);
    } else if (delivery.tries >= limits.tries) {
      await store.bury(delivery, end, this.#now());
      onDead?.({ endpoint: name, eventId: delivery.eventId, ...end });
    } else await store.retry(delivery, end, this.#now() + wait(delivery.tries, retryAfterMs));
  }
}
