import { LogTail, factDocument, type EventLog, type LogPositions, type StoredRecord } from '@doorledger/event-log';
import { writePlace } from './feed-place.js';

/** A fact as it goes out: made once, however many read it. */
export interface FeedFrame {
  readonly record: StoredRecord;
  readonly text: string;
}

/** Who reads the feed: told of every frame in the order of its partition, at once; `end` when no more comes. */
export interface FeedReader {
  frame(frame: FeedFrame): void;
  end(): void;
}

/** What the feed keeps of its newest frames for readers that come to it: in characters. */
const KEPT = 4 * 1024 * 1024;

/** One frame. Its id says where to go on after it. */
export const frameOf = (topics: readonly string[], record: StoredRecord, next: LogPositions): FeedFrame => ({
  record,
  text: `id: ${writePlace(topics, next)}\nevent: fact\ndata: ${JSON.stringify(factDocument(record))}\n\n`,
});

/** The end of the log for any number of readers: one tail that runs while somebody reads, and its newest frames. */
export class FactFeed {
  readonly #log: EventLog;
  readonly #readers = new Set<FeedReader>();
  /** Told why when the log's end cannot be read on. */
  readonly #onStopped: (error: Error) => void;
  readonly #kept: FeedFrame[] = [];
  #keptSize = 0;
  #tail?: LogTail;
  /** Per partition, the offset before which nothing is kept, and the next one to come. */
  #floor: Record<string, number[]> = {};
  #next: Record<string, number[]> = {};
  #starting?: Promise<void>;

  constructor(
    log: EventLog,
    readonly topics: readonly string[],
    onStopped: (error: Error) => void,
  ) {
    this.#log = log;
    this.#onStopped = onStopped;
  }

  /** Where its readers are. */
  get place(): string {
    return writePlace(this.topics, this.#next);
  }

  /**
   * Joins a reader that has everything before `from`: it is given what is kept after that, and from then on whatever comes. False where
   * more is missing than is kept: the log has it. Synchronous, so nothing comes between.
   */
  join(reader: FeedReader, from: LogPositions): boolean {
    if (!this.#tail) return false;
    const isKept = this.topics.every((topic) => from[topic]!.every((offset, partition) => offset >= this.#floor[topic]![partition]!));
    if (!isKept) return false;
    for (const frame of this.#kept) {
      const { topic, partition, offset } = frame.record;
      if (offset >= from[topic]![partition]!) reader.frame(frame);
    }
    this.#readers.add(reader);
    return true;
  }

  leave(reader: FeedReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) void this.close().catch(() => {});
  }

  /** Begins to follow the log's end, once for everybody. */
  start(): Promise<void> {
    return (this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    }));
  }

  /** Ends every reader; nothing is kept either. */
  async close(): Promise<void> {
    const readers = [...this.#readers];
    this.#readers.clear();
    for (const reader of readers) reader.end();
    const tail = this.#tail;
    this.#tail = undefined;
    this.#starting = undefined;
    this.#kept.length = 0;
    this.#keptSize = 0;
    await tail?.close();
  }

  async #start(): Promise<void> {
    const ends = await Promise.all(this.topics.map(async (topic) => [topic, (await this.#log.ends(topic)).map(({ end }) => end)] as const));
    this.#floor = Object.fromEntries(ends.map(([topic, offsets]) => [topic, [...offsets]]));
    this.#next = Object.fromEntries(ends.map(([topic, offsets]) => [topic, [...offsets]]));
    const tail = new LogTail({
      log: this.#log,
      from: this.#next,
      deliver: ({ records }) => {
        if (this.#tail === tail) for (const record of records) this.#meet(record);
      },
      onProblem: ({ error, stopped }) => {
        if (!stopped || this.#tail !== tail) return;
        this.#onStopped(error);
        void this.close().catch(() => {});
      },
    });
    this.#tail = tail;
    tail.start();
  }

  #meet(record: StoredRecord): void {
    this.#next[record.topic]![record.partition] = record.offset + 1;
    const frame = frameOf(this.topics, record, this.#next);
    this.#kept.push(frame);
    this.#keptSize += frame.text.length;
    while (this.#keptSize > KEPT) {
      const { record: gone, text } = this.#kept.shift()!;
      this.#keptSize -= text.length;
      this.#floor[gone.topic]![gone.partition] = gone.offset + 1;
    }
    for (const reader of this.#readers) reader.frame(frame);
  }
}
