import { encode, topics, whyInvalid, type FactEvent } from '@doorledger/contracts';
import { AppendRefusedError, appendUntilDurable, type EventLog, type LogPositions } from '@doorledger/event-log';
import { ToldFeed } from './told-feed.js';

export interface ConsentFeedOptions {
  readonly log: EventLog;
  /** The ledger's places. */
  readonly places: LogPositions;
  /** Told of what the log refuses for good. */
  readonly onRefused: (error: unknown) => void;
}

/** Writes the public feed of consents, at least once and before the ledger moves past what it tells of (V5). */
export class ConsentFeed {
  readonly #options: ConsentFeedOptions;
  /** What is there already, where the ledger is made anew from the log's start. */
  readonly #told?: ToldFeed;
  #isClosed = false;

  private constructor(options: ConsentFeedOptions, told?: ToldFeed) {
    this.#options = options;
    if (told) this.#told = told;
  }

  static async open(options: ConsentFeedOptions): Promise<ConsentFeed> {
    const isAnew = options.places[topics.session.name]!.some((next) => next === 0);
    return new ConsentFeed(options, isAnew ? await ToldFeed.read(options.log) : undefined);
  }

  /** Resolves when they are on the feed. What the log refuses for good is left out: the ledger does not wait for it. */
  async publish(news: readonly FactEvent[]): Promise<void> {
    const records = news
      .filter((event) => whyInvalid(event) === undefined && !this.#told?.has(event))
      .map((event) => ({ key: event.subject, ...encode(event) }));
    if (records.length === 0) return;
    try {
      await appendUntilDurable(this.#options.log, topics.consent.name, records, () => this.#isClosed);
    } catch (error) {
      if (this.#isClosed || !(error instanceof AppendRefusedError)) throw error;
      this.#options.onRefused(error);
    }
  }

  /** What cannot be written now is told again at the next start. */
  close(): void {
    this.#isClosed = true;
  }
}
