/** An event for one endpoint. */
export interface NewDelivery {
  readonly endpoint: string;
  readonly eventId: string;
  readonly type: string;
  readonly requestId: string;
  readonly body: string;
}

/** A delivery that is this process's to try, until `leasedUntil` (epoch ms). */
export interface Leased {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  /** Of which this is the last. */
  readonly tries: number;
  readonly leasedUntil: number;
}

/** How the last try ended. */
export interface TryEnd {
  readonly status?: number;
  readonly error?: string;
}

/** - `tries`: none was left. - `gone`: the endpoint said 410. - `backlog`: too many others waited for it. */
export type DeadWhy = 'tries' | 'gone' | 'backlog';

/** What will not be tried again unless an operator says so; times in epoch ms. */
export interface DeadLetter extends TryEnd {
  readonly deliveryId: string;
  readonly endpoint: string;
  readonly eventId: string;
  readonly type: string;
  readonly requestId: string;
  readonly tries: number;
  readonly createdAt: number;
  readonly deadAt: number;
  readonly why: DeadWhy;
}

export interface DeadLetterPage {
  readonly limit: number;
  readonly endpoint?: string;
  /** Those made before this one. */
  readonly before?: string;
}

export interface EndpointCounts {
  readonly endpoint: string;
  readonly waiting: number;
  readonly dead: number;
  /** When it said 410. */
  readonly disabledAt?: number;
}

/** Moves a partition's place on one log. */
export interface PlaceMove {
  readonly logId: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** Dead letters kept for each endpoint; the oldest go first. */
export const MOST_DEAD = 10_000;

/**
 * What is to be told, and how far the log was read for it: outside every ledger generation, so that a replay sends nothing (X0). Two
 * adapters, one contract suite. All times are epoch ms of the callers' clocks.
 */
export interface WebhookStore {
  /** Whether other processes send from it too, of whose changes no signal comes. */
  readonly isShared: boolean;
  /** The places kept for a log; where it has none yet, they are made from the log's `ends` first. */
  begin(logId: string, ends: readonly number[]): Promise<number[]>;
  /**
   * Moves the place and keeps the deliveries, both or neither; `stale` where the place is not at `from` any more. An endpoint that is
   * disabled, or has `backlog` deliveries waiting, gets dead letters; what an endpoint has already got of an event stays as it is.
   */
  enqueue(move: PlaceMove, deliveries: readonly NewDelivery[], backlog: number, now: number): Promise<'moved' | 'stale'>;
  /** Takes deliveries that are due, those due first, in no order; nobody else gets them before `until`. */
  lease(endpoint: string, limit: number, now: number, until: number): Promise<Leased[]>;
  /** When the next delivery of an endpoint is due, whoever has it now. */
  nextDue(endpoint: string): Promise<number | undefined>;
  delivered(delivery: Leased): Promise<void>;
  /** These four do nothing once the lease is somebody else's. */
  retry(delivery: Leased, end: TryEnd, at: number): Promise<void>;
  bury(delivery: Leased, end: TryEnd, now: number): Promise<void>;
  /** Gives it back untried. */
  release(delivery: Leased, now: number): Promise<void>;
  /** The endpoint said 410: everything that waits for it becomes dead letters. */
  disable(delivery: Leased, endpoint: string, url: string, end: TryEnd, now: number): Promise<void>;
  /** An endpoint that was disabled under another address is enabled. */
  moved(endpoint: string, url: string): Promise<void>;
  /** The one made last first. */
  deadLetters(page: DeadLetterPage): Promise<DeadLetter[]>;
  /** Makes one dead letter, or all of an endpoint, due anew with all tries, and enables their endpoints: how many of which. */
  redeliver(which: { readonly deliveryId: string } | { readonly endpoint: string }, now: number): Promise<Map<string, number>>;
  counts(): Promise<EndpointCounts[]>;
  close(): Promise<void>;
}
