import type { RecordBatch } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import type { RecordSet } from './record-set.js';
import { unreadableBatch } from './unreadable-batch.js';

/** A partition is left out of fetches while so many bytes of it wait for their delivery. */
const PARTITION_BYTES = 256 * 1024;
/** Past this many in all partitions, each may hold one fetched piece only. */
const TOTAL_BYTES = 32 * 1024 * 1024;

/** What is to be read of one partition. */
export interface Span {
  readonly topic: string;
  readonly partition: number;
  /** The first offset to read. */
  readonly from: number;
  /** Nothing at or past this offset is delivered. */
  readonly until: number;
}

/** What the cursors of one subscription share. */
export interface CursorOwner {
  /** Bytes fetched and not yet delivered, over all its cursors. */
  heldBytes: number;
  readonly isClosed: boolean;
  readonly deliver: (batch: RecordBatch) => void | Promise<void>;
  /** A delivery came back: the cursor can take more, or has come to its end. */
  readonly onDelivered: (cursor: Cursor) => void;
  readonly fail: (error: unknown) => void;
}

/** One partition of a subscription: where it is, what it holds, and one delivery at a time. */
export class Cursor {
  /** The next offset to fetch. */
  position: number;
  /** Its leader was found wrong at this version of the metadata: a newer one is needed. */
  staleVersion = 0;
  /** While the log's range is asked for (K12) nothing is fetched. */
  isJudged = false;
  /** Offsets that held nothing to apply. */
  passed = 0;
  #held: StoredRecord[] = [];
  #heldBytes = 0;
  #stop?: Error;
  #running?: Promise<void>;

  constructor(
    readonly owner: CursorOwner,
    readonly span: Span,
  ) {
    this.position = span.from;
  }

  get topic(): string {
    return this.span.topic;
  }

  get partition(): number {
    return this.span.partition;
  }

  get isFull(): boolean {
    return this.#heldBytes >= PARTITION_BYTES || (this.owner.heldBytes >= TOTAL_BYTES && this.#held.length > 0);
  }

  /** Wants to be fetched, once its leader is known. */
  get isOpen(): boolean {
    return this.position < this.span.until && !this.isJudged && !this.#stop;
  }

  /** Everything before `until` was delivered. */
  get isDone(): boolean {
    return this.position >= this.span.until && !this.#running;
  }

  get isDelivering(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when no delivery is running. */
  get settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Takes what a fetch from `position` brought; delivered before this returns if no delivery is running. */
  accept({ records, next, passed, unreadable }: RecordSet, bytes: number): void {
    this.position = next;
    this.passed += passed;
    if (unreadable) this.#stop = unreadableBatch(this.topic, this.partition, next, unreadable);
    const wanted = next <= this.span.until ? records : records.filter(({ offset }) => offset < this.span.until);
    if (wanted.length > 0) {
      this.#held = this.#held.length === 0 ? wanted : this.#held.concat(wanted);
      this.#heldBytes += bytes;
      this.owner.heldBytes += bytes;
    }
    this.#start();
  }

  #start(): void {
    if (this.#running || (this.#held.length === 0 && !this.#stop)) return;
    this.#running = this.#deliverAll().then(() => {
      this.#running = undefined;
      if (this.#held.length > 0 && !this.owner.isClosed) this.#start();
      else this.owner.onDelivered(this);
    });
  }

  async #deliverAll(): Promise<void> {
    const { owner, topic, partition } = this;
    try {
      while (this.#held.length > 0 && !owner.isClosed) {
        const records = this.#held;
        const bytes = this.#heldBytes;
        this.#held = [];
        this.#heldBytes = 0;
        const delivery = owner.deliver({ topic, partition, records });
        if (delivery) await delivery;
        owner.heldBytes -= bytes;
        owner.onDelivered(this);
      }
      if (this.#stop) owner.fail(this.#stop);
    } catch (error) {
      owner.fail(error);
    }
  }
}
