import { setImmediate } from 'node:timers/promises';
import { AppendRefusedError, LogRefusedError } from '../errors.js';
import type {
  EventLog,
  LogPositions,
  NamingRecords,
  NewRecord,
  PartitionCut,
  PartitionRange,
  Position,
  RecordBatch,
  Subscription,
} from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import { AppendQueue, type CommittedRun } from './append-queue.js';
import { cutPartition } from './cut-partition.js';
import { type FollowSource, Follower, startingPoints } from './follower.js';
import { acquireWriterLock } from './lock.js';
import { LogFile, logPath, prepareLogFile } from './log-file.js';
import { type PartitionTable, type Slot, refuseOtherTopics } from './partition-table.js';
import { RecentRecords } from './recent-records.js';
import { refuseCut } from '../refuse-cut.js';
import { refuseCorruptTail } from './tail-check.js';
import { WalWatch } from './wal-watch.js';
import { Writer } from './writer.js';
import { stopSentence } from './writer-protocol.js';

export interface SqliteLogOptions {
  /** The data folder; the log is its `log.db`. */
  readonly dir: string;
  /** A reader stands beside a writer of this or another process and never appends. */
  readonly role: 'writer' | 'reader';
  /** Partition count per topic; the file is made with these and must have them ever after. */
  readonly topics: ReadonlyMap<string, number>;
  /** Appends that are not on disk yet may hold so much memory; past it they are refused with `ERR_LOG_BUSY` (K7). Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** An append that the disk has not confirmed by then is rejected as indefinite (K4). Default 30 s. */
  readonly appendTimeoutMs?: number;
}

/**
 * Opens the log of a data folder (K14). Before a writer writes it has the folder's lock and has checked the newest records (K6).
 * @throws LogRefusedError `ERR_DATA_IN_USE`, `ERR_LOG_TOPICS`, `ERR_LOG_CORRUPT`, and those of openSqliteFile; a reader meets
 * `ERR_FILE_MISSING` until a writer has made the log
 */
export async function openSqliteLog(options: SqliteLogOptions): Promise<EventLog> {
  return options.role === 'writer' ? openWriter(options) : SqliteLog.reading(options);
}

async function openWriter(options: SqliteLogOptions): Promise<EventLog> {
  const { dir, topics } = options;
  const lock = acquireWriterLock(dir);
  let file: LogFile | undefined;
  let writer: Writer | undefined;
  try {
    prepareLogFile(dir, topics);
    writer = new Writer();
    file = new LogFile(dir);
    refuseOtherTopics(file.partitions, topics);
    refuseCorruptTail(file.db, file.partitions, file.ranges());
    const epoch = await writer.open(logPath(dir));
    return SqliteLog.writing(options, file, writer, epoch, () => lock.release());
  } catch (error) {
    await writer?.terminate();
    file?.close();
    lock.release();
    throw error;
  }
}

class SqliteLog implements EventLog, FollowSource {
  readonly place: string;
  readonly partitions: PartitionTable;
  readonly #recent: RecentRecords;
  readonly #followers = new Set<Follower>();
  readonly #starts: number[];
  readonly #ends: number[];
  #queue?: AppendQueue;
  #writer?: Writer;
  #watch?: WalWatch;
  #closing?: Promise<void>;

  private constructor(
    readonly file: LogFile,
    readonly release: () => Promise<void>,
  ) {
    this.place = file.fileId;
    this.partitions = file.partitions;
    this.#recent = new RecentRecords(file.partitions.slots.length);
    const ranges = file.ranges();
    this.#starts = ranges.map(({ start }) => start);
    this.#ends = ranges.map(({ end }) => end);
  }

  static reading({ dir, topics }: SqliteLogOptions): SqliteLog {
    const file = new LogFile(dir);
    try {
      refuseOtherTopics(file.partitions, topics);
    } catch (error) {
      file.close();
      throw error;
    }
    const log = new SqliteLog(file, async () => file.close());
    log.#watch = new WalWatch(
      dir,
      file,
      () => log.#refresh(),
      (error) => log.#failAll(error),
    );
    return log;
  }

  static writing(options: SqliteLogOptions, file: LogFile, writer: Writer, epoch: number, unlock: () => void): SqliteLog {
    const log = new SqliteLog(file, async () => {
      await writer.close();
      file.close();
      unlock();
    });
    log.#writer = writer;
    log.#queue = new AppendQueue({
      writer,
      partitions: file.partitions,
      ends: log.#ends,
      epoch,
      now: Date.now,
      maxQueuedBytes: options.maxQueuedBytes ?? 64 * 1024 * 1024,
      timeoutMs: options.appendTimeoutMs ?? 30_000,
      onWriting: (runs) => log.#decodeAhead(runs),
      onCommit: (runs) => log.#committed(runs),
      onStop: (cause) => log.#failAll(new LogRefusedError('ERR_LOG_STOPPED', stopSentence(cause), { cause })),
    });
    return log;
  }

  get topics(): ReadonlyMap<string, number> {
    return this.partitions.topics;
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<Position[]> {
    return this.#writing().append(topic, records);
  }

  async appendNaming(topic: string, records: readonly NewRecord[], naming: NamingRecords): Promise<Position[]> {
    return this.#writing().append(topic, records, naming);
  }

  #writing(): AppendQueue {
    if (!this.#queue) throw new AppendRefusedError('ERR_LOG_READ_ONLY', 'The log was opened for reading only.');
    return this.#queue;
  }

  read(topic: string, from: readonly number[]): AsyncIterable<RecordBatch> {
    if (!this.#queue) this.#refresh();
    const points = startingPoints(this, topic, from).map(({ slot, next }) => ({ slot, next, end: this.#ends[slot.slot]! }));
    return this.#pages(points);
  }

  async *#pages(points: readonly { slot: Slot; next: number; end: number }[]): AsyncGenerator<RecordBatch> {
    for (const { slot, next, end } of points) {
      for (let at = next; at < end;) {
        const records = this.file.page(slot, at, end);
        at += records.length;
        yield { topic: slot.topic, partition: slot.partition, records };
        await setImmediate();
      }
    }
  }

  async recordAt({ topic, partition, offset }: Position): Promise<StoredRecord | undefined> {
    const slot = this.partitions.of(topic)?.[partition];
    if (!slot || offset < this.#starts[slot.slot]!) return undefined;
    return this.#recent.at(slot.slot, offset) ?? this.file.at(slot, offset);
  }

  follow(from: LogPositions, deliver: (batch: RecordBatch) => void | Promise<void>): Subscription {
    if (!this.#queue) this.#refresh();
    const follower = new Follower(this, deliver, (closed) => this.#followers.delete(closed));
    this.#followers.add(follower);
    follower.start(from);
    return follower;
  }

  async ends(topic: string): Promise<PartitionRange[]> {
    if (!this.#queue) this.#refresh();
    const slots = this.partitions.of(topic);
    if (!slots) throw new LogRefusedError('ERR_UNKNOWN_TOPIC', 'The log has no such topic: see `doorledger topics`.');
    return slots.map(({ slot }) => this.rangeOf(slot));
  }

  async cut(topic: string, cuts: readonly PartitionCut[]): Promise<void> {
    refuseCut(topic);
    if (!this.#queue) throw new AppendRefusedError('ERR_LOG_READ_ONLY', 'The log was opened for reading only.');
    for (const { partition, before } of cuts) {
      const slot = this.partitions.of(topic)![partition]!;
      const start = Math.min(Math.max(before, this.#starts[slot.slot]!), this.#ends[slot.slot]!);
      this.#starts[slot.slot] = start;
      await cutPartition({ file: this.file, writer: this.#writer!, queue: this.#queue }, slot, start);
    }
  }

  rangeOf(slot: number): PartitionRange {
    return { start: this.#starts[slot]!, end: this.#ends[slot]! };
  }

  recordsFrom(slot: Slot, offset: number): { records: readonly StoredRecord[]; isRecent: boolean } {
    const recent = this.#recent.from(slot.slot, offset);
    return recent
      ? { records: recent, isRecent: true }
      : { records: this.file.page(slot, offset, this.#ends[slot.slot]!), isRecent: false };
  }

  /** Appends what was accepted, ends every subscription, then lets the file and the folder go. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#queue?.close();
    this.#watch?.close();
    await Promise.all([...this.#followers].map((follower) => follower.close()));
    await this.release();
  }

  /** Followers share one decoded record, and will ask for it as soon as it is committed. */
  #decodeAhead(runs: Iterable<CommittedRun>): void {
    if (this.#followers.size > 0) for (const { records } of runs) for (const record of records) void record.decoded;
  }

  #committed(runs: Iterable<CommittedRun>): void {
    const slots: number[] = [];
    for (const { slot, records, bytes } of runs) {
      this.#recent.add(slot, records, bytes);
      slots.push(slot);
    }
    for (const follower of this.#followers) for (const slot of slots) follower.wake(slot);
  }

  /** What another process has written since. */
  #refresh(): void {
    for (const [slot, { start, end }] of this.file.ranges().entries()) {
      this.#starts[slot] = start;
      this.#ends[slot] = end;
    }
    for (const follower of this.#followers) follower.wakeAll();
  }

  #failAll(error: unknown): void {
    for (const follower of [...this.#followers]) follower.fail(error);
  }
}
