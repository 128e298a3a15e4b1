import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerLink } from './broker-link.js';
import type { ClusterView } from './cluster-view.js';
import type { Cursor } from './cursor.js';
import type { FetchedPartition } from './fetch-response.js';
import { timeoutsOf } from './kafka-options.js';

/** Of one partition per fetch; a larger batch comes whole. */
const PARTITION_MAX_BYTES = 1024 * 1024;
/** A fetch that leaves a full partition out waits only so long, ms: that partition may be free again at any moment. */
const WAIT_BESIDE_FULL_MS = 20;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

export interface FetchLoopOptions {
  readonly view: ClusterView;
  readonly nodeId: number;
  readonly cursors: readonly Cursor[];
  readonly signal: AbortSignal;
  /** What the broker answered for the partition of a cursor. */
  readonly onFetched: (cursor: Cursor, fetched: FetchedPartition) => void;
}

/** Fetches from one broker whatever it leads of one subscription, on a connection of its own (K11). */
export class FetchLoop {
  readonly #options: FetchLoopOptions;
  #link?: BrokerLink;
  #turn = 0;
  #wake?: () => void;

  constructor(options: FetchLoopOptions) {
    this.#options = options;
  }

  /** Something changed that may let a partition be fetched. */
  wake(): void {
    this.#wake?.();
  }

  /** Runs until the signal; never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const onAbort = () => {
      this.#link?.close();
      this.wake();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    for (let pause = FIRST_PAUSE_MS; !signal.aborted;) {
      const { ready, isOneFull } = this.#choose();
      if (ready.length === 0) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      if (await this.#fetch(ready, isOneFull)) pause = FIRST_PAUSE_MS;
      else {
        await Promise.all([this.#options.view.refresh(), sleep(pause, undefined, { signal }).catch(() => {})]);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
    this.#link?.close();
  }

  #choose(): { ready: Cursor[]; isOneFull: boolean } {
    const { view, nodeId, cursors } = this.#options;
    const ready: Cursor[] = [];
    let isOneFull = false;
    for (const cursor of cursors) {
      if (!cursor.isOpen || cursor.staleVersion >= view.version || view.leaderOf(cursor.topic, cursor.partition) !== nodeId) continue;
      if (cursor.isFull) isOneFull = true;
      else ready.push(cursor);
    }
    return { ready, isOneFull };
  }

  /** False when the broker did not answer. */
  async #fetch(ready: readonly Cursor[], isOneFull: boolean): Promise<boolean> {
    const { view, nodeId, signal, onFetched } = this.#options;
    try {
      const link = (this.#link ??= await BrokerLink.open(view.addressOf(nodeId)!, view.options));
      if (signal.aborted) return true;
      const wait = isOneFull ? WAIT_BESIDE_FULL_MS : timeoutsOf(view.options).fetchWait;
      const asked = this.#inTurn(ready).map(({ topic, partition, position: offset }) => ({
        topic,
        partition,
        offset,
        maxBytes: PARTITION_MAX_BYTES,
      }));
      const byPlace = new Map(ready.map((cursor) => [`${cursor.topic}/${cursor.partition}`, cursor]));
      for (const fetched of await link.fetch(asked, wait)) {
        if (signal.aborted) return true;
        const cursor = byPlace.get(`${fetched.topic}/${fetched.partition}`);
        if (cursor) onFetched(cursor, fetched);
      }
      return true;
    } catch {
      this.#link?.close();
      this.#link = undefined;
      return false;
    }
  }

  /** A broker fills its answer in the order asked: each partition comes first in turn, or a busy one would starve the others. */
  #inTurn(ready: readonly Cursor[]): readonly Cursor[] {
    const first = this.#turn++ % ready.length;
    return first === 0 ? ready : [...ready.slice(first), ...ready.slice(0, first)];
  }
}
