import type { EventLog } from '@doorledger/event-log';

/** A log to append to before it is there: what is appended waits until it is given (K15). */
export class AwaitedLog implements Pick<EventLog, 'append'> {
  readonly #log: Promise<Pick<EventLog, 'append'>>;
  #give!: (log: Pick<EventLog, 'append'>) => void;

  constructor() {
    this.#log = new Promise((resolve) => (this.#give = resolve));
  }

  give(log: Pick<EventLog, 'append'>): void {
    this.#give(log);
  }

  append: EventLog['append'] = async (topic, records) => (await this.#log).append(topic, records);
}
