import type { StoredRecord } from './stored-record.js';

/** A record to append. The same key always goes to the same partition (K5). */
export interface NewRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where a record lies on the log. */
export interface Position {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** For each topic the next offset per partition: `positions['doorledger.session.v1'][3]` is the first one not yet read. */
export type LogPositions = Readonly<Record<string, readonly number[]>>;

/** Neighbouring records of one partition, in offset order, never empty. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
}

/** The offsets a partition holds: `start` is the first one kept, `end` the one after the last. */
export interface PartitionRange {
  readonly start: number;
  readonly end: number;
}

/** Records that name the places of others of the same append: made once these places are known. */
export interface NamingRecords {
  readonly topic: string;
  /** Called once, with one place per named record; what it throws rejects the append, of which nothing is written then. */
  readonly records: (named: readonly Position[]) => readonly NewRecord[];
}

/** A new start of a partition, at most its end. */
export interface PartitionCut {
  readonly partition: number;
  readonly before: number;
}

/** A running read of several topics. */
export interface Subscription {
  /** Rejects when reading cannot go on (history lost, a corrupt record); never resolves before `close`. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/**
 * The log (design §4). Two adapters, one contract suite (K1–K9, K14, K15).
 * An append that could not be confirmed rejects with AppendIndefiniteError: the same event must be appended again or looked
 * for, never taken as failed (K4). AppendRefusedError means nothing of it is on the log and nothing ever will be.
 */
export interface EventLog {
  /** The log file's id or the Kafka cluster's id. */
  readonly place: string;
  /** Partition count per topic name. */
  readonly topics: ReadonlyMap<string, number>;
  /** Durable when it resolves; one position per record, in the order given. Records of one partition are atomic (K1). */
  append(topic: string, records: readonly NewRecord[]): Promise<Position[]>;
  /**
   * `records`, and behind them those that name their places, in one transaction: on the log together or not at all. Only a log that can do
   * that has it; elsewhere the named records are appended first, and then the others.
   */
  readonly appendNaming?: (topic: string, records: readonly NewRecord[], naming: NamingRecords) => Promise<Position[]>;
  /** Every durable record from `from` (next offset per partition) to the ends as of the call, in order per partition (K2). */
  read(topic: string, from: readonly number[]): AsyncIterable<RecordBatch>;
  /** One record by its place, or undefined where there is none. */
  recordAt(position: Position): Promise<StoredRecord | undefined>;
  /**
   * Everything from `from` on, endlessly, in order per partition. `deliver` is called with one batch at a time per
   * partition and awaited (back-pressure), never before `follow` has returned; when it throws, the subscription fails.
   */
  follow(from: LogPositions, deliver: (batch: RecordBatch) => void | Promise<void>): Subscription;
  ends(topic: string): Promise<PartitionRange[]>;
  /**
   * Takes away the records before `before` of each partition named, for good; durable when it resolves. Positions stay what they are.
   * @throws AppendRefusedError `ERR_NEVER_CUT` for a topic whose start may not move (X3), `ERR_LOG_READ_ONLY`
   */
  cut(topic: string, cuts: readonly PartitionCut[]): Promise<void>;
  close(): Promise<void>;
}
