import { setMaxListeners } from 'node:events';
import type { RecordBatch, Subscription } from '../event-log.js';
import { brokerError } from './broker-errors.js';
import type { ClusterView } from './cluster-view.js';
import { Cursor, type CursorOwner, type Span } from './cursor.js';
import { FetchLoop } from './fetch-loop.js';
import type { FetchedPartition } from './fetch-response.js';
import { judgePosition } from './history.js';
import { forbidden } from './log-unreachable.js';
import { readRecordSet } from './record-set.js';

export interface FollowerOptions {
  readonly view: ClusterView;
  readonly spans: readonly Span[];
  readonly deliver: (batch: RecordBatch) => void | Promise<void>;
  /** Called once, when everything of every span was delivered: never, where one of them has no end. */
  readonly onDone?: () => void;
  /** Holds this one until it ends. */
  readonly running: Set<Follower>;
}

/** One subscription without a consumer group (K11): its cursors, and a fetch loop for each broker that leads one of them. */
export class Follower implements Subscription, CursorOwner {
  readonly failed: Promise<never>;
  heldBytes = 0;
  readonly #options: FollowerOptions;
  readonly #cursors: readonly Cursor[];
  readonly #loops = new Map<number, FetchLoop>();
  readonly #closing = new AbortController();
  readonly #unwatch: () => void;
  #reject!: (error: unknown) => void;
  #isDone = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.failed = new Promise((_, reject) => (this.#reject = reject));
    this.failed.catch(() => {});
    this.#cursors = options.spans.map((span) => new Cursor(this, span));
    options.running.add(this);
    setMaxListeners(0, this.#closing.signal);
    this.#unwatch = options.view.onChange(() => this.#spread());
    queueMicrotask(() => {
      this.#spread();
      this.#judgeDone();
    });
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  get spans(): readonly Span[] {
    return this.#options.spans;
  }

  /** Next offset to fetch of each span. */
  get positions(): number[] {
    return this.#cursors.map(({ position }) => position);
  }

  get isDelivering(): boolean {
    return this.#cursors.some((cursor) => cursor.isDelivering);
  }

  /** Offsets without anything to apply that were passed: control records, aborted transactions. */
  get passed(): number {
    return this.#cursors.reduce((sum, { passed }) => sum + passed, 0);
  }

  get deliver(): CursorOwner['deliver'] {
    return this.#options.deliver;
  }

  readonly fail = (error: unknown): void => {
    if (this.isClosed) return;
    this.#end();
    this.#reject(error);
  };

  readonly onDelivered = (cursor: Cursor): void => {
    const leader = this.#options.view.leaderOf(cursor.topic, cursor.partition);
    if (leader !== undefined) this.#loops.get(leader)?.wake();
    this.#judgeDone();
  };

  /** Resolves when no delivery is running any more: not to be awaited by a delivery. */
  async close(): Promise<void> {
    this.#end();
    await Promise.all(this.#cursors.map(({ settled }) => settled));
  }

  #end(): void {
    if (this.isClosed) return;
    this.#closing.abort();
    this.#unwatch();
    this.#options.running.delete(this);
  }

  /** Every leader has a loop; those that there are look again at what they lead. */
  #spread(): void {
    if (this.isClosed) return;
    const { view } = this.#options;
    const nodes = new Set(this.#cursors.map(({ topic, partition }) => view.leaderOf(topic, partition)));
    for (const loop of this.#loops.values()) loop.wake();
    for (const nodeId of nodes) {
      if (nodeId === undefined || this.#loops.has(nodeId)) continue;
      const loop = new FetchLoop({ view, nodeId, cursors: this.#cursors, signal: this.#closing.signal, onFetched: this.#onFetched });
      this.#loops.set(nodeId, loop);
      void loop.run();
    }
  }

  readonly #onFetched = (cursor: Cursor, fetched: FetchedPartition): void => {
    const { view } = this.#options;
    if (fetched.errorCode === brokerError.none) {
      if (fetched.records.length === 0) return;
      cursor.accept(readRecordSet(fetched, cursor.position), fetched.records.length);
      this.#judgeDone();
    } else if (fetched.errorCode === brokerError.offsetOutOfRange) void this.#judge(cursor);
    else if (fetched.errorCode === brokerError.topicAuthorizationFailed) this.fail(forbidden(cursor.topic));
    else {
      cursor.staleVersion = view.version;
      void view.refresh();
    }
  };

  async #judge(cursor: Cursor): Promise<void> {
    if (cursor.isJudged) return;
    cursor.isJudged = true;
    try {
      await judgePosition(this.#options.view, cursor, this.#closing.signal);
    } catch (error) {
      this.fail(error);
    }
    cursor.isJudged = false;
    this.#spread();
  }

  #judgeDone(): void {
    if (this.#isDone || this.isClosed || !this.#options.onDone || !this.#cursors.every(({ isDone }) => isDone)) return;
    this.#isDone = true;
    this.#options.onDone();
  }
}
