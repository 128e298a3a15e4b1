import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { KafkaEventLog } from '../kafka/kafka-log.js';
import type { SharedReadingOptions, SharedSubscription } from '../kafka/shared-reading.js';
import { dispatch } from './dispatch.js';

export interface SharedLogStrategyOptions extends Omit<SharedReadingOptions, 'deliver'> {
  readonly transport: symbol;
  readonly log: Pick<KafkaEventLog, 'followShared'>;
  /** Told why reading cannot go on. */
  readonly onStopped: (error: Error) => void;
}

/**
 * Nest's transport over the share of a log that a group of processes gives this one (K11). Batches go to the handlers as
 * EventLogStrategy's do.
 */
export class SharedLogStrategy extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  readonly #options: SharedLogStrategyOptions;
  #subscription?: SharedSubscription;

  constructor(options: SharedLogStrategyOptions) {
    super();
    this.#options = options;
    this.setTransportId(options.transport);
  }

  /** Undefined until listening. */
  get subscription(): SharedSubscription | undefined {
    return this.#subscription;
  }

  listen(callback: (error?: unknown) => void): void {
    const { log, onStopped, ...reading } = this.#options;
    const deliver: SharedReadingOptions['deliver'] = (batch) => dispatch(batch, this.getHandlerByPattern(batch.topic));
    this.#subscription = log.followShared({ ...reading, deliver });
    this.#subscription.failed.catch(onStopped);
    callback();
  }

  async close(): Promise<void> {
    await this.#subscription?.close();
  }

  on(): void {
    throw new Error('The event log transport raises no events.');
  }

  unwrap<T>(): T {
    return this.#options.log as T;
  }
}
