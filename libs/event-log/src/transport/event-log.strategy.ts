import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { EventLog, LogPositions } from '../event-log.js';
import { LogTail, type LogTailOptions } from '../log-tail.js';
import { dispatch } from './dispatch.js';

/** Both readers can live in one process: a handler names the one it belongs to, `@EventPattern(topic, transports.projector)`. */
export const transports = { projector: Symbol.for('doorledger projector'), hostTail: Symbol.for('doorledger host tail') } as const;

export interface EventLogStrategyOptions extends Pick<LogTailOptions, 'watchMs' | 'onProblem'> {
  readonly transport: symbol;
  readonly log: EventLog;
  /** Where to start, asked once when listening begins. */
  readonly from: () => Promise<LogPositions>;
}

/**
 * Nest's transport over the log: one RecordBatch at a time per partition goes to the handler whose pattern is the topic's
 * name, and the next one waits for it. (Nest's stock Kafka transport hands over one message at a time and lets a poison
 * record block a partition.) What a handler throws stops the tail.
 */
export class EventLogStrategy extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  readonly #options: EventLogStrategyOptions;
  /** By topic. Nest tries each time whether a pattern is JSON, and a name that is not costs an exception. */
  readonly #handlers = new Map<string, MessageHandler | null>();
  #tail?: LogTail;

  constructor(options: EventLogStrategyOptions) {
    super();
    this.#options = options;
    this.setTransportId(options.transport);
  }

  /** Undefined until listening. */
  get tail(): LogTail | undefined {
    return this.#tail;
  }

  listen(callback: (error?: unknown) => void): void {
    this.#options.from().then(
      (from) => {
        this.#tail = new LogTail({ ...this.#options, from, deliver: (batch) => dispatch(batch, this.#handlerOf(batch.topic)) });
        this.#tail.start();
        callback();
      },
      (error: unknown) => callback(error),
    );
  }

  #handlerOf(topic: string): MessageHandler | null {
    const known = this.#handlers.get(topic);
    if (known !== undefined) return known;
    const handler = this.getHandlerByPattern(topic);
    this.#handlers.set(topic, handler);
    return handler;
  }

  async close(): Promise<void> {
    await this.#tail?.close();
  }

  on(): void {
    throw new Error('The event log transport raises no events.');
  }

  unwrap<T>(): T {
    return this.#options.log as T;
  }
}
