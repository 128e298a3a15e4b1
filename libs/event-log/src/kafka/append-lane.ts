import { setTimeout as sleep } from 'node:timers/promises';
import { AppendIndefiniteError, AppendRefusedError } from '../errors.js';
import type { NewRecord, Position } from '../event-log.js';
import { type KafkaConnectionOptions, timeoutsOf } from './kafka-options.js';
import { type PendingAppend, placeRecords } from './pending-append.js';
import { messagesOf, positionsOf, takeBatch } from './send-batch.js';
import { TrustedProducer } from './trusted-producer.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** Bytes of appends that are not settled, over all lanes of a log. */
export interface AppendBudget {
  heldBytes: number;
  readonly maxBytes: number;
}

export interface AppendLaneOptions {
  readonly connection: KafkaConnectionOptions;
  readonly topic: string;
  readonly partitions: number;
  readonly budget: AppendBudget;
  /** Told when a producer was thrown away, and why. */
  readonly onRetry?: (topic: string, cause: unknown) => void;
}

/** The appends of one topic: one send in flight, everything queued meanwhile in the next (K1, K4, K7, K10). */
export class AppendLane {
  readonly #options: AppendLaneOptions;
  readonly #queue: PendingAppend[] = [];
  #batch: readonly PendingAppend[] = [];
  #producer?: TrustedProducer;
  #pumping?: Promise<void>;
  #expiry?: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: AppendLaneOptions) {
    this.#options = options;
  }

  /** See EventLog.append. Past the budget a call is refused with `ERR_LOG_BUSY`: to let it wait would hold as much memory. */
  append(records: readonly NewRecord[]): Promise<Position[]> {
    const { topic, partitions, budget, connection } = this.#options;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new AppendRefusedError('ERR_LOG_CLOSED', 'The log is closed.');
      if (records.length === 0) return resolve([]);
      const placed = placeRecords(topic, partitions, records);
      if (budget.heldBytes + placed.bytes > budget.maxBytes)
        throw new AppendRefusedError('ERR_LOG_BUSY', 'Kafka does not keep up with what is to be appended: try again in a moment.');
      budget.heldBytes += placed.bytes;
      const deadline = performance.now() + timeoutsOf(connection).append;
      this.#queue.push({ ...placed, deadline, isSent: false, isSettled: false, resolve, reject });
      this.#watchDeadline(deadline);
      this.#pumping ??= this.#pump();
    });
  }

  /** Appends what is queued, as far as its deadline allows, then lets the producer go. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pumping;
    clearTimeout(this.#expiry);
    this.#producer?.throwAway();
  }

  async #pump(): Promise<void> {
    // Everything that is appended in this turn of the event loop shares the first send.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      this.#batch = takeBatch(this.#queue);
      await this.#appendAll();
    }
    this.#batch = [];
    this.#pumping = undefined;
  }

  /** The same records again and again until they are acknowledged or nobody waits for them any more. */
  async #appendAll(): Promise<void> {
    const { topic, connection, onRetry } = this.#options;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      this.#batch = this.#batch.filter(({ isSettled }) => !isSettled);
      if (this.#batch.length === 0) return;
      const batch = this.#batch;
      try {
        const producer = (this.#producer ??= await TrustedProducer.connect(connection));
        for (const append of batch) append.isSent = true;
        const offsets = await producer.send(topic, messagesOf(batch));
        for (const [i, positions] of positionsOf(topic, batch, offsets).entries())
          this.#settle(batch[i]!, () => batch[i]!.resolve(positions));
        return;
      } catch (cause) {
        this.#producer?.throwAway();
        this.#producer = undefined;
        onRetry?.(topic, cause);
        await sleep(pause);
      }
    }
  }

  #settle(append: PendingAppend, settle: () => void): void {
    if (append.isSettled) return;
    append.isSettled = true;
    this.#options.budget.heldBytes -= append.bytes;
    settle();
  }

  #watchDeadline(deadline: number): void {
    this.#expiry ??= setTimeout(() => this.#expire(), Math.max(0, deadline - performance.now()));
  }

  /** Deadlines grow along the batch and the queue: nothing behind the first live one has passed. */
  #expire(): void {
    this.#expiry = undefined;
    const now = performance.now();
    for (const append of [...this.#batch, ...this.#queue]) {
      if (append.isSettled) continue;
      if (append.deadline > now) {
        this.#watchDeadline(append.deadline);
        break;
      }
      this.#settle(append, () => append.reject(append.isSent ? unknown() : unreachable()));
    }
    const live = this.#queue.findIndex(({ isSettled }) => !isSettled);
    this.#queue.splice(0, live < 0 ? this.#queue.length : live);
  }
}

const unknown = (): AppendIndefiniteError =>
  new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'Kafka could not confirm the append: append the same events again.');

const unreachable = (): AppendRefusedError =>
  new AppendRefusedError('ERR_LOG_UNREACHABLE', 'No broker took the append in time, and nothing of it was sent. Are the brokers up?');
