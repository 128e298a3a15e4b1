import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { frameOf, type FactFeed, type FeedFrame, type FeedReader } from './fact-feed.js';
import { writePlace } from './feed-place.js';

/** What may wait for one reader, in bytes: past it the reader is dropped, and resumes where it was. */
const MOST_WAITING = 256 * 1024;
/** The same for who reads what is on the log already: so long it may take nothing. */
const TAKES_WITHIN_MS = 30_000;
const KEEP_ALIVE_MS = 15_000;

export interface StreamReaderOptions {
  readonly log: EventLog;
  readonly feed: FactFeed;
  readonly response: ServerResponse;
  /** The next offset of each partition that the reader has not had. */
  readonly from: LogPositions;
  readonly wants: (type: string | undefined) => boolean;
  /** The stream is over after this frame. */
  readonly isLast: (frame: FeedFrame) => boolean;
}

/** One reader of the stream of facts (P2): first what is on the log past its place, then what comes. */
export class StreamReader implements FeedReader {
  readonly #options: StreamReaderOptions;
  readonly #place: Record<string, number[]>;
  readonly #keepAlive: NodeJS.Timeout;
  readonly #gone = new AbortController();
  #isLive = false;
  #wasDropped = false;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    this.#place = Object.fromEntries(Object.entries(options.from).map(([topic, offsets]) => [topic, [...offsets]]));
    // An id without data tells the reader where it is, and wakes the proxies between.
    this.#keepAlive = setInterval(() => this.#tellPlace(), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    options.response.once('close', () => this.#leave());
  }

  /** It did not read what it asked for. */
  get wasDropped(): boolean {
    return this.#wasDropped;
  }

  /** Resolves when the reader follows the end of the log, or is gone. @throws what the log throws */
  async run(): Promise<void> {
    const { feed } = this.#options;
    this.#tellPlace();
    for (;;) {
      await feed.start();
      if (this.#gone.signal.aborted) return feed.leave(this);
      if (feed.join(this, this.#place)) break;
      await this.#catchUp();
    }
    this.#isLive = true;
  }

  frame(frame: FeedFrame): void {
    const { response, wants, isLast } = this.#options;
    if (this.#gone.signal.aborted) return;
    if (wants(frame.record.decoded.type)) response.write(frame.text);
    if (isLast(frame)) return this.end();
    if (response.writableLength <= MOST_WAITING) return;
    this.#drop();
  }

  end(): void {
    this.#options.response.end();
  }

  async #catchUp(): Promise<void> {
    const { log, feed, response, wants } = this.#options;
    for (const topic of feed.topics)
      for await (const { partition, records } of log.read(topic, this.#place[topic]!))
        for (const record of records) {
          if (this.#gone.signal.aborted) return;
          this.#place[topic]![partition] = record.offset + 1;
          if (wants(record.decoded.type) && !response.write(frameOf(feed.topics, record, this.#place).text)) await this.#taken();
        }
  }

  async #taken(): Promise<void> {
    const late = AbortSignal.any([this.#gone.signal, AbortSignal.timeout(TAKES_WITHIN_MS)]);
    await once(this.#options.response, 'drain', { signal: late }).catch(() => this.#drop());
  }

  #drop(): void {
    this.#wasDropped ||= !this.#gone.signal.aborted;
    this.#leave();
    this.#options.response.destroy();
  }

  #leave(): void {
    clearInterval(this.#keepAlive);
    this.#gone.abort();
    this.#options.feed.leave(this);
  }

  #tellPlace(): void {
    const { feed, response } = this.#options;
    response.write(`id: ${this.#isLive ? feed.place : writePlace(feed.topics, this.#place)}\n\n`);
  }
}
