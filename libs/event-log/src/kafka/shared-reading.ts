import { setTimeout as sleep } from 'node:timers/promises';
import { DoorledgerError } from '@doorledger/contracts';
import type { RecordBatch, Subscription } from '../event-log.js';
import type { ClusterView } from './cluster-view.js';
import type { Span } from './cursor.js';
import type { Partitions } from './division.js';
import { Follower } from './follower.js';
import { Membership } from './membership.js';
import { StallWatch } from './stall-watch.js';

/** Between two questions for the stored places while whoever keeps them does not answer. */
const ASK_AGAIN_MS = 500;

export interface SharedReadingOptions {
  /** The consumer group: the same name in every process that shares the partitions. */
  readonly group: string;
  /** The topics whose partitions are divided. */
  readonly topics: readonly string[];
  /**
   * The stored next offset of each of these partitions, in the order given: asked whenever partitions were given to this process, after
   * its own last delivery ended. What it throws is asked again, but for a DoorledgerError, which ends the reading.
   */
  readonly placesOf: (topic: string, partitions: readonly number[]) => Promise<readonly number[]>;
  /**
   * One batch at a time per partition, awaited; what it throws ends the reading, unless the partition was taken away meanwhile. The
   * receiver must move its stored place by compare-and-set: a delivery that had begun may end after another process reads on.
   */
  readonly deliver: (batch: RecordBatch) => void | Promise<void>;
  /** Told what this process holds, whenever that changes. */
  readonly onHeld?: (held: Partitions) => void;
  /** Told when the group's coordinator was lost, the stored places could not be read, or reading stood still and was begun anew. */
  readonly onTrouble?: (cause: unknown) => void;
}

export interface SharedSubscription extends Subscription {
  /** What this process reads now. */
  readonly held: Partitions;
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
      onTrouble?.(cause);
      this.#hold(this.#held);
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

  #hold(partitions: Partitions): void {
    this.#stop();
    if (this.#closing) return;
    this.#held = partitions;
    this.#parts.onHeld?.(partitions);
    this.#begin(partitions).catch((error: unknown) => this.#fail(error));
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
  async #begin(partitions: Partitions): Promise<void> {
    const { view, followers: running } = this.#parts;
    const isOver = (): boolean => partitions !== this.#held || this.#closing !== undefined;
    await this.#settled;
    const spans = await this.#places(partitions, isOver);
    if (isOver() || !spans || this.#follower) return;
    const follower: Follower = new Follower({ view, spans, running, deliver: (batch) => this.#deliver(batch, follower) });
    this.#follower = follower;
    this.#watch.see(follower);
    follower.failed.catch((error: unknown) => this.#follower === follower && this.#fail(error));
  }

  /** The check stands right before the delivery: a process that was stopped past its session finds here that it may not go on. */
  #deliver(batch: RecordBatch, follower: Follower): void | Promise<void> {
    if (this.#membership.isCertain()) return this.#parts.deliver(batch);
    if (this.#follower === follower) this.#stop();
  }

  async #places(partitions: Partitions, isOver: () => boolean): Promise<Span[] | undefined> {
    const { placesOf, onTrouble } = this.#parts;
    while (!isOver()) {
      try {
        const spans = Object.entries(partitions).map(async ([topic, ofTopic]) => {
          const offsets = await placesOf(topic, ofTopic);
          return ofTopic.map((partition, i): Span => ({ topic, partition, from: offsets[i]!, until: Infinity }));
        });
        return (await Promise.all(spans)).flat();
      } catch (error) {
        if (error instanceof DoorledgerError) throw error;
        onTrouble?.(error);
        await sleep(ASK_AGAIN_MS);
      }
    }
    return undefined;
  }
}
