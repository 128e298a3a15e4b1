import { topicByName } from '@doorledger/contracts';
import { AppendIndefiniteError, AppendRefusedError } from '../errors.js';
import type { NamingRecords, NewRecord, Position } from '../event-log.js';
import { partitionOf } from '../partition.js';
import { StoredRecord } from '../stored-record.js';
import { type PartitionTable, type Slot, placeOf } from './partition-table.js';
import { frameBound, writeFrame } from './record-frame.js';
import type { Writer } from './writer.js';
import { APPENDED, stopSentence } from './writer-protocol.js';

/** One transaction takes whole calls until it is past this size, so that a full queue is not one stop of seconds. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** For topics that spec 9 does not name. */
const OTHER_TOPIC_MAX_BYTES = 1024 * 1024;

/** A record with the partition it goes to. */
interface Addressed extends NewRecord {
  readonly slot: Slot;
  readonly headersJson: string;
}

interface Call {
  readonly records: Addressed[];
  readonly naming?: NamingRecords;
  bytes: number;
  /** Per record, once the call is in a batch. */
  readonly offsets: number[];
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: Error) => void;
}

/** What one transaction added to a partition, in offset order. */
export interface CommittedRun {
  readonly slot: number;
  readonly records: StoredRecord[];
  bytes: number;
}

export interface AppendQueueOptions {
  readonly writer: Pick<Writer, 'append' | 'framesOf'>;
  readonly partitions: PartitionTable;
  /** The next offset by slot; moved on as records are committed. */
  readonly ends: number[];
  readonly epoch: number;
  /** The log append time of a transaction that begins now, ms since the Unix epoch. */
  readonly now: () => number;
  readonly maxQueuedBytes: number;
  readonly timeoutMs: number;
  /** Called while the disk works on a transaction that may yet fail. */
  readonly onWriting: (runs: Iterable<CommittedRun>) => void;
  /** Called with each transaction before its callers hear of it: a tail sees a record no later than its acknowledgement. */
  readonly onCommit: (runs: Iterable<CommittedRun>) => void;
  /** Called once, when nothing can be appended any more. */
  readonly onStop: (cause: string) => void;
}

/** Group commit: one transaction in flight, everything queued meanwhile is the next one (K1, K7). */
export class AppendQueue {
  readonly #options: AppendQueueOptions;
  #queue: Call[] = [];
  #heldBytes = 0;
  #isClosed = false;
  #stopCause?: string;
  #pumping?: Promise<void>;
  /** Other work of the writer's, between two transactions. */
  readonly #between: (() => Promise<void>)[] = [];

  constructor(options: AppendQueueOptions) {
    this.#options = options;
  }

  /** See EventLog.append. Past `maxQueuedBytes` not yet on disk a call is refused with `ERR_LOG_BUSY`: to wait would hold as much memory. */
  append(topic: string, records: readonly NewRecord[], naming?: NamingRecords): Promise<Position[]> {
    return new Promise((resolve, reject) => {
      const call = this.#callOf(topic, records, naming, resolve, reject);
      this.#heldBytes += call.bytes;
      this.#queue.push(call);
      this.#pumping ??= this.#pump();
    });
  }

  /** Runs `work` while the writer has no other question open. */
  between<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new AppendRefusedError('ERR_LOG_CLOSED', 'The log is closed.'));
    return new Promise((resolve, reject) => {
      this.#between.push(() => work().then(resolve, reject));
      this.#pumping ??= this.#pump();
    });
  }

  /** Appends what is queued, then lets no more in. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pumping;
  }

  #callOf(
    topic: string,
    records: readonly NewRecord[],
    naming: NamingRecords | undefined,
    resolve: Call['resolve'],
    reject: Call['reject'],
  ): Call {
    if (this.#isClosed) throw new AppendRefusedError('ERR_LOG_CLOSED', 'The log is closed.');
    if (this.#stopCause) throw stopped(this.#stopCause);
    const addressed = this.#addressed(topic, records);
    const bytes = boundOf(addressed);
    const { maxQueuedBytes } = this.#options;
    if (bytes > maxQueuedBytes)
      throw new AppendRefusedError('ERR_APPEND_TOO_LARGE', 'One append holds more than the queue may: append it in parts.');
    if (this.#heldBytes + bytes > maxQueuedBytes) throw busy();
    return { records: addressed, naming, bytes, offsets: [], resolve, reject };
  }

  #addressed(topic: string, records: readonly NewRecord[]): Addressed[] {
    const ofTopic = this.#options.partitions.of(topic);
    if (!ofTopic) throw new AppendRefusedError('ERR_UNKNOWN_TOPIC', 'The log has no such topic: see `doorledger topics`.');
    const maxBytes = topicByName.get(topic)?.maxBytes ?? OTHER_TOPIC_MAX_BYTES;
    return records.map(({ key, value, headers }) => {
      if (value.length > maxBytes)
        throw new AppendRefusedError('ERR_RECORD_TOO_LARGE', `A record of ${topic} is ${value.length} bytes; at most ${maxBytes} fit.`);
      return { key, value, headers, slot: ofTopic[partitionOf(key, ofTopic.length)]!, headersJson: JSON.stringify(headers) };
    });
  }

  async #pump(): Promise<void> {
    // Everything that is appended in this turn of the event loop shares the first transaction.
    await Promise.resolve();
    while (this.#queue.length > 0 || this.#between.length > 0) {
      await this.#between.shift()?.();
      if (this.#queue.length > 0) await this.#commit(this.#placed(this.#takeBatch()));
    }
    this.#pumping = undefined;
  }

  #takeBatch(): Call[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#queue.length && bytes < BATCH_BYTES) bytes += this.#queue[count++]!.bytes;
    return this.#queue.splice(0, count);
  }

  /** Gives every record its offset, and has those made that name others; a call whose records cannot be made is left out. */
  #placed(batch: readonly Call[]): Call[] {
    const next = [...this.#options.ends];
    return batch.filter((call) => {
      const { records, offsets, naming } = call;
      const place = ({ slot }: Addressed) => void offsets.push(next[slot.slot]!++);
      records.forEach(place);
      if (!naming) return true;
      try {
        const more = this.#addressed(naming.topic, naming.records(positionsOf(call)));
        const bytes = boundOf(more);
        call.bytes += bytes;
        this.#heldBytes += bytes;
        records.push(...more);
        more.forEach(place);
        return true;
      } catch (error) {
        for (const { slot } of records) next[slot.slot]!--;
        this.#heldBytes -= call.bytes;
        call.reject(error as Error);
        return false;
      }
    });
  }

  async #commit(batch: Call[]): Promise<void> {
    if (batch.length === 0) return;
    const { writer, timeoutMs, onWriting } = this.#options;
    const { frames, count, runs } = this.#framesOf(batch);
    const answer = writer.append(frames, count);
    // From here on the disk is at work: what can be done before it answers is done now.
    const timer = setTimeout(() => this.#giveUp(batch), timeoutMs);
    onWriting(runs.values());
    const reply = await answer;
    clearTimeout(timer);
    for (const { bytes } of batch) this.#heldBytes -= bytes;
    if (reply === APPENDED) this.#settle(batch, runs);
    else if (reply.type === 'refused') for (const { reject } of batch) reject(refused(reply.cause));
    else if (reply.type === 'stopped') this.#stop(batch, reply.cause);
  }

  #framesOf(batch: readonly Call[]): { frames: Buffer; count: number; runs: Map<number, CommittedRun> } {
    const { writer, epoch, now } = this.#options;
    const timestamp = now();
    const frames = writer.framesOf(batch.reduce((sum, { bytes }) => sum + bytes, 0));
    const runs = new Map<number, CommittedRun>();
    let end = 0;
    let count = 0;
    for (const { records, offsets } of batch) {
      for (const [i, { key, value, headers, headersJson, slot: place }] of records.entries()) {
        const { slot, topic, partition } = place;
        const offset = offsets[i]!;
        let run = runs.get(slot);
        if (!run) runs.set(slot, (run = { slot, records: [], bytes: 0 }));
        const start = end;
        end = writeFrame(frames, start, { place: placeOf(slot, offset), timestamp, epoch, key, headers: headersJson, value });
        run.records.push(new StoredRecord(topic, partition, offset, timestamp, epoch, key, value, headers));
        run.bytes += end - start;
        count += 1;
      }
    }
    return { frames, count, runs };
  }

  #settle(batch: readonly Call[], runs: ReadonlyMap<number, CommittedRun>): void {
    const { ends, onCommit } = this.#options;
    for (const { slot, records } of runs.values()) ends[slot]! += records.length;
    onCommit(runs.values());
    for (const call of batch) call.resolve(positionsOf(call));
  }

  /** The disk does not answer: who is in flight cannot know, who is queued is on the log nowhere. */
  #giveUp(batch: readonly Call[]): void {
    for (const { reject } of batch) reject(indefinite('no answer from the disk'));
    for (const { reject, bytes } of this.#queue.splice(0)) {
      this.#heldBytes -= bytes;
      reject(busy());
    }
  }

  #stop(batch: readonly Call[], cause: string): void {
    this.#stopCause = cause;
    for (const { reject } of batch) reject(indefinite(cause));
    for (const { reject } of this.#queue.splice(0)) reject(stopped(cause));
    this.#options.onStop(cause);
  }
}

const boundOf = (records: readonly Addressed[]): number =>
  records.reduce((sum, { key, value, headersJson }) => sum + frameBound(key.length, headersJson.length, value.length), 0);

const positionsOf = ({ records, offsets }: Call): Position[] =>
  records.map(({ slot: { topic, partition } }, i) => ({ topic, partition, offset: offsets[i]! }));

const busy = (): AppendRefusedError =>
  new AppendRefusedError('ERR_LOG_BUSY', 'The disk does not keep up with what is to be appended: try again in a moment.');

const indefinite = (cause: string): AppendIndefiniteError =>
  new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'The log could not confirm the append: append the same events again.', { cause });

const stopped = (cause: string): AppendRefusedError => new AppendRefusedError('ERR_LOG_STOPPED', stopSentence(cause), { cause });

const refused = (cause: string): AppendRefusedError =>
  cause === 'SQLITE_FULL'
    ? new AppendRefusedError('ERR_DISK_FULL', 'The disk of the data folder is full: free some space; nothing of this was written.', {
        cause,
      })
    : new AppendRefusedError('ERR_LOG_WRITE', 'The log file could not be written; nothing of this was written.', { cause });
