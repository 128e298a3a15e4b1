import { topicByName } from '@doorledger/contracts';
import { AppendIndefiniteError, AppendRefusedError } from '../errors.js';
import type { NewRecord, Position } from '../event-log.js';
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

interface Call {
  readonly slots: readonly Slot[];
  readonly records: readonly NewRecord[];
  readonly headers: readonly string[];
  readonly bytes: number;
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

  constructor(options: AppendQueueOptions) {
    this.#options = options;
  }

  /** See EventLog.append. Past `maxQueuedBytes` not yet on disk a call is refused with `ERR_LOG_BUSY`: to wait would hold as much memory. */
  append(topic: string, records: readonly NewRecord[]): Promise<Position[]> {
    return new Promise((resolve, reject) => {
      const call = this.#callOf(topic, records, resolve, reject);
      this.#heldBytes += call.bytes;
      this.#queue.push(call);
      this.#pumping ??= this.#pump();
    });
  }

  /** Appends what is queued, then lets no more in. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pumping;
  }

  #callOf(topic: string, records: readonly NewRecord[], resolve: Call['resolve'], reject: Call['reject']): Call {
    if (this.#isClosed) throw new AppendRefusedError('ERR_LOG_CLOSED', 'The log is closed.');
    if (this.#stopCause) throw stopped(this.#stopCause);
    const ofTopic = this.#options.partitions.of(topic);
    if (!ofTopic) throw new AppendRefusedError('ERR_UNKNOWN_TOPIC', 'The log has no such topic: see `doorledger topics`.');
    const maxBytes = topicByName.get(topic)?.maxBytes ?? OTHER_TOPIC_MAX_BYTES;
    const slots: Slot[] = [];
    const headers: string[] = [];
    let bytes = 0;
    for (const record of records) {
      if (record.value.length > maxBytes)
        throw new AppendRefusedError(
          'ERR_RECORD_TOO_LARGE',
          `A record of ${topic} is ${record.value.length} bytes; at most ${maxBytes} fit.`,
        );
      const json = JSON.stringify(record.headers);
      slots.push(ofTopic[partitionOf(record.key, ofTopic.length)]!);
      headers.push(json);
      bytes += frameBound(record.key.length, json.length, record.value.length);
    }
    const { maxQueuedBytes } = this.#options;
    if (bytes > maxQueuedBytes)
      throw new AppendRefusedError('ERR_APPEND_TOO_LARGE', 'One append holds more than the queue may: append it in parts.');
    if (this.#heldBytes + bytes > maxQueuedBytes) throw busy();
    return { slots, records, headers, bytes, offsets: [], resolve, reject };
  }

  async #pump(): Promise<void> {
    // Everything that is appended in this turn of the event loop shares the first transaction.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#commit(this.#takeBatch());
    this.#pumping = undefined;
  }

  #takeBatch(): Call[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#queue.length && bytes < BATCH_BYTES) bytes += this.#queue[count++]!.bytes;
    return this.#queue.splice(0, count);
  }

  async #commit(batch: Call[]): Promise<void> {
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
    const { writer, epoch, ends, now } = this.#options;
    const timestamp = now();
    const frames = writer.framesOf(batch.reduce((sum, { bytes }) => sum + bytes, 0));
    const runs = new Map<number, CommittedRun>();
    let end = 0;
    let count = 0;
    for (const { slots, records, headers, offsets } of batch) {
      for (const [i, { key, value, headers: given }] of records.entries()) {
        const { slot, topic, partition } = slots[i]!;
        let run = runs.get(slot);
        if (!run) runs.set(slot, (run = { slot, records: [], bytes: 0 }));
        const offset = ends[slot]! + run.records.length;
        offsets.push(offset);
        const start = end;
        end = writeFrame(frames, start, { place: placeOf(slot, offset), timestamp, epoch, key, headers: headers[i]!, value });
        run.records.push(new StoredRecord(topic, partition, offset, timestamp, epoch, key, value, given));
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
    for (const { slots, offsets, resolve } of batch)
      resolve(slots.map(({ topic, partition }, i) => ({ topic, partition, offset: offsets[i]! })));
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
