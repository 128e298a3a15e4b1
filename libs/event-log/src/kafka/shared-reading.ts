import { setTimeout as sleep } from 'node:timers/promises';
import { DoorledgerError } from '@doorledger/contracts';
import type { LogPositions, RecordBatch, Subscription } from '../event-log.js';
import type { ClusterView } from './cluster-view.js';
import type { Span } from './cursor.js';
import type { Partitions } from './division.js';
import { Follower } from './follower.js';
import { LogUnreachableError } from './log-unreachable.js';
import { Membership } from './membership.js';
import { StallWatch } from './stall-watch.js';

/** Between two questions for the stored places while whoever keeps them does not answer, and before reading on where somebody else moved one. */
const ASK_AGAIN_MS = 500;

export interface SharedReadingOptions {
  /** The consumer group: the same name in every process that shares the partitions. */
  readonly group: string;
  /** The topics whose partitions are divided. */
  readonly topics: readonly string[];
  /**
   * The stored next offset of these partitions at least: asked whenever reading begins, after this process's own last delivery ended. What
   * it throws is asked again, but for a DoorledgerError other than an unreachable log, which ends the reading.
   */
  readonly placesOf: (partitions: Partitions) => Promise<LogPositions>;
  /**
   * One batch at a time per partition, awaited; what it throws ends the reading, unless the partition was taken away meanwhile. The
   * receiver must move its stored place by compare-and-set: a delivery that had begun may end after another process reads on.
   */
  readonly deliver: (batch: RecordBatch) => void | Promise<void>;
  /** Whether a delivery threw because the compare-and-set was lost: reading then begins anew from the stored places. */
  readonly isFenced?: (error: unknown) => boolean;
  /** Told what this process holds, whenever that changes. */
  readonly onHeld?: (held: Partitions) => void;
  /** Told in a sentence what keeps reading up, once each time: it goes on by itself. */
  readonly onTrouble?: (sentence: string, cause: unknown) => void;
}

export interface SharedSubscription extends Subscription {
  /** What this process reads now. */
  readonly held: Partitions;
  /** Reads on from the stored places, as they are asked now. */
  beginAnew(): void;
}

interface SharedReadingParts extends SharedReadingOptions {
  readonly view: ClusterView;
  /** Partition count of each topic to divide. */
  readonly counts: ReadonlyMap<string, number>;
  readonly followers: Set<Follower>;
  /** Holds this one until it ends. */
  readonly running: Set<SharedReading>;
}

/** Reads the partitions that a group gives this process, and only while it is certain that they are its own (K11). */
export class SharedReading implements SharedSubscription {
  readonly failed: Promise<never>;
  readonly #parts: SharedReadingParts;
  readonly #membership: Membership;
  readonly #watch: StallWatch;
  #held: Partitions = {};
  #follower?: Follower;
  /** Resolves when no delivery of an earlier holding runs. */
  #settled: Promise<unknown> = Promise.resolve();
  #reject!: (error: unknown) => void;
  #closing?: Promise<void>;

  constructor(parts: SharedReadingParts) {
    this.#parts = parts;
    this.failed = new Promise((_, reject) => (this.#reject = reject));
    this.failed.catch(() => {});
    parts.running.add(this);
    const { view, group, counts: topics, onTrouble } = parts;
    this.#watch = new StallWatch(view, (cause) => {
      onTrouble?.('Reading stood still while the log grew: it begins anew.', cause);
      this.beginAnew();
    });
    this.#membership = new Membership({
      view,
      group,
      topics,
      onTrouble,
      onGiven: (partitions) => this.#hold(partitions),
      onTaken: () => this.#giveBack(),
    });
    this.#membership.run().catch((error: unknown) => this.#fail(error));
  }

  get held(): Partitions {
    return this.#held;
  }

  beginAnew(): void {
    this.#hold({ ...this.#held });
  }

  /** Resolves when no delivery is running any more and the group knows: not to be awaited by a delivery. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#watch.close();
    await this.#giveBack();
    await this.#membership.close();
    this.#parts.running.delete(this);
  }

  #fail(error: unknown): void {
    if (this.#closing) return;
    void this.close();
    this.#reject(error);
  }

  /** What another process did in time is no fault of this one. */
  #judge(error: unknown): void {
    const { isFenced, onTrouble } = this.#parts;
    if (!isFenced?.(error)) return this.#fail(error);
    onTrouble?.(
      'Another process moved a stored place: nothing of this delivery counts, and reading goes on from the stored places.',
      error,
    );
    this.#hold({ ...this.#held }, ASK_AGAIN_MS);
  }

  #hold(partitions: Partitions, afterMs = 0): void {
    this.#stop();
    if (this.#closing) return;
    this.#held = partitions;
    this.#parts.onHeld?.(partitions);
    this.#begin(partitions, afterMs).catch((error: unknown) => this.#fail(error));
  }

  #giveBack(): Promise<unknown> {
    this.#stop();
    this.#held = {};
    this.#parts.onHeld?.(this.#held);
    return this.#settled;
  }

  /** Nothing is delivered from here on. */
  #stop(): void {
    const follower = this.#follower;
    if (!follower) return;
    this.#follower = undefined;
    this.#watch.see(undefined);
    this.#settled = Promise.all([this.#settled, follower.close()]);
  }

  /** Ends without a follower when the holding changed meanwhile. */
  async #begin(partitions: Partitions, afterMs: number): Promise<void> {
    const { view, followers: running } = this.#parts;
    const isOver = (): boolean => partitions !== this.#held || this.#closing !== undefined;
    if (afterMs > 0) await sleep(afterMs);
    await this.#settled;
    const spans = await this.#places(partitions, isOver);
    if (isOver() || !spans || this.#follower) return;
    const follower: Follower = new Follower({ view, spans, running, deliver: (batch) => this.#deliver(batch, follower) });
    this.#follower = follower;
    this.#watch.see(follower);
    follower.failed.catch((error: unknown) => this.#follower === follower && this.#judge(error));
  }

  /** The check stands right before the delivery: a process that was stopped past its session finds here that it may not go on. */
  #deliver(batch: RecordBatch, follower: Follower): void | Promise<void> {
    if (this.#membership.isCertain()) return this.#parts.deliver(batch);
    if (this.#follower === follower) this.#stop();
  }

  async #places(partitions: Partitions, isOver: () => boolean): Promise<Span[] | undefined> {
    const { placesOf, onTrouble } = this.#parts;
    for (let isTold = false; !isOver(); isTold = true) {
      try {
        const places = await placesOf(partitions);
        return Object.entries(partitions).flatMap(([topic, ofTopic]) =>
          ofTopic.map((partition): Span => ({ topic, partition, from: places[topic]![partition]!, until: Infinity })),
        );
      } catch (error) {
        if (error instanceof DoorledgerError && !(error instanceof LogUnreachableError)) throw error;
        if (!isTold) onTrouble?.('The stored places cannot be read: they are asked for again until they can.', error);
        await sleep(ASK_AGAIN_MS);
      }
    }
    return undefined;
  }
}
