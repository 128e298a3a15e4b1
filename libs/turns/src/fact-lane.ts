import { encode, eventOf, facts, type EventOrigin, type Fact } from '@doorledger/contracts';
import { appendUntilDurable, type EventLog, type NewRecord } from '@doorledger/event-log';

export interface FactLaneOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly origin: EventOrigin;
  /** The log refused records for good. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Facts that nobody waits for one by one: queued at once, appended in batches, one append in flight per topic. `durable` tells
 * when everything queued so far is on the log.
 */
export class FactLane {
  readonly #options: FactLaneOptions;
  readonly #queues = new Map<string, NewRecord[]>();
  readonly #writing = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: FactLaneOptions) {
    this.#options = options;
  }

  add(key: string, fact: Fact): void {
    const topic = facts[fact.type].topic.name;
    const queue = this.#queues.get(topic);
    const record = { key, ...encode(eventOf(fact, this.#options.origin)) };
    if (queue) queue.push(record);
    else this.#queues.set(topic, [record]);
    if (!this.#writing.has(topic)) this.#writing.set(topic, this.#write(topic));
  }

  /** Resolves when every fact added so far is on the log, or was refused for good. */
  async durable(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  /** What cannot be written now is given up. */
  close(): void {
    this.#isClosed = true;
  }

  async #write(topic: string): Promise<void> {
    // Everything added in the same turn of the event loop shares the first append.
    await Promise.resolve();
    for (let batch = this.#take(topic); batch; batch = this.#take(topic))
      await appendUntilDurable(this.#options.log, topic, batch, () => this.#isClosed).catch(this.#options.onLost);
    this.#writing.delete(topic);
  }

  #take(topic: string): NewRecord[] | undefined {
    const batch = this.#queues.get(topic);
    this.#queues.delete(topic);
    return batch;
  }
}
