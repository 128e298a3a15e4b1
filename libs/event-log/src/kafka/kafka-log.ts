import { DoorledgerError } from '@doorledger/contracts';
import { AppendRefusedError, LogRefusedError } from '../errors.js';
import type { EventLog, LogPositions, NewRecord, PartitionCut, PartitionRange, Position, RecordBatch, Subscription } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import { type AppendBudget, AppendLane } from './append-lane.js';
import { readToEnds } from './bounded-read.js';
import type { ClusterView } from './cluster-view.js';
import { Follower } from './follower.js';
import type { KafkaConnectionOptions } from './kafka-options.js';
import { listRanges } from './list-offsets.js';
import { fetchRecordAt } from './record-at.js';
import { refuseCut } from '../refuse-cut.js';
import { SharedReading, type SharedReadingOptions, type SharedSubscription } from './shared-reading.js';
import { deleteBefore } from './topics-admin.js';
import { waitForCluster, type WaitOptions } from './wait-for-cluster.js';

export interface KafkaLogOptions extends KafkaConnectionOptions, Pick<WaitOptions, 'onWaiting' | 'signal' | 'timestamps'> {
  /** Partition count per topic; asserted, not made. */
  readonly topics: ReadonlyMap<string, number>;
  /** `DOORLEDGER_KAFKA_DEV`: relaxes replication and min.insync.replicas only. */
  readonly dev?: boolean;
  /** Appends that are not acknowledged yet may hold so much memory; past it they are refused with `ERR_LOG_BUSY` (K7). Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** Told when a producer was thrown away and its records are appended again (K10). */
  readonly onRetry?: (topic: string, cause: unknown) => void;
}

/**
 * Opens the log on a cluster, waiting for one that is not there yet (K15).
 * @throws LogRefusedError `ERR_TOPIC_SETTINGS` naming settings and mends (K13), `ERR_LOG_LOGIN`; the signal's reason
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<KafkaEventLog> {
  const { brokers, clientId, ssl, sasl, timeouts, topics, dev = false, timestamps, onWaiting, signal } = options;
  const connection = { brokers, clientId, ssl, sasl, timeouts };
  const view = await waitForCluster({ connection, topics, dev, timestamps, onWaiting, signal });
  return new KafkaLog(view, options);
}

/** What only a cluster has. */
export interface KafkaEventLog extends EventLog {
  /** Follows the share of the partitions that a consumer group gives this process (K11); ended by `close` like any other. */
  followShared(options: SharedReadingOptions): SharedSubscription;
}

class KafkaLog implements KafkaEventLog {
  readonly place: string;
  readonly topics: ReadonlyMap<string, number>;
  readonly #view: ClusterView;
  readonly #lanes = new Map<string, AppendLane>();
  readonly #followers = new Set<Follower>();
  readonly #reads = new Set<Follower>();
  readonly #shared = new Set<SharedReading>();
  #closing?: Promise<void>;

  constructor(view: ClusterView, { topics, maxQueuedBytes = 64 * 1024 * 1024, onRetry }: KafkaLogOptions) {
    this.#view = view;
    this.place = view.clusterId;
    this.topics = topics;
    const budget: AppendBudget = { heldBytes: 0, maxBytes: maxQueuedBytes };
    for (const [topic, partitions] of topics)
      this.#lanes.set(topic, new AppendLane({ connection: view.options, topic, partitions, budget, onRetry }));
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<Position[]> {
    const lane = this.#lanes.get(topic);
    if (!lane) throw new AppendRefusedError('ERR_UNKNOWN_TOPIC', 'The log has no such topic: see `doorledger topics`.');
    return lane.append(records);
  }

  read(topic: string, from: readonly number[]): AsyncIterable<RecordBatch> {
    this.#expect(topic, from);
    return readToEnds(this.#view, topic, from, this.#reads);
  }

  async recordAt(position: Position): Promise<StoredRecord | undefined> {
    const { topic, partition, offset } = position;
    const isPossible = partition >= 0 && partition < (this.topics.get(topic) ?? 0) && offset >= 0;
    return isPossible ? fetchRecordAt(this.#view, position) : undefined;
  }

  follow(from: LogPositions, deliver: (batch: RecordBatch) => void | Promise<void>): Subscription {
    const spans = Object.entries(from).flatMap(([topic, offsets]) =>
      offsets.map((offset, partition) => ({ topic, partition, from: offset, until: Infinity })),
    );
    const follower = new Follower({ view: this.#view, spans, deliver, running: this.#followers });
    try {
      for (const [topic, offsets] of Object.entries(from)) this.#expect(topic, offsets);
    } catch (error) {
      follower.fail(error);
    }
    return follower;
  }

  followShared(options: SharedReadingOptions): SharedSubscription {
    const counts = new Map(options.topics.map((topic) => [topic, this.#partitionsOf(topic)]));
    return new SharedReading({ ...options, view: this.#view, counts, followers: this.#followers, running: this.#shared });
  }

  async ends(topic: string): Promise<PartitionRange[]> {
    return listRanges(this.#view, topic, [...Array(this.#partitionsOf(topic)).keys()]);
  }

  async cut(topic: string, cuts: readonly PartitionCut[]): Promise<void> {
    refuseCut(topic);
    const ranges = await this.ends(topic);
    const moved = cuts.filter(({ partition, before }) => before > ranges[partition]!.start);
    if (moved.length > 0) await deleteBefore(this.#view.options, topic, moved);
  }

  /** A position is never corrected by a guess. */
  #expect(topic: string, offsets: readonly number[]): void {
    const partitions = this.#partitionsOf(topic);
    if (partitions !== offsets.length)
      throw new LogRefusedError('ERR_LOG_TOPICS', `${topic} has ${partitions} partitions; positions for ${offsets.length} were given.`);
  }

  #partitionsOf(topic: string): number {
    const partitions = this.topics.get(topic);
    if (partitions === undefined) throw new LogRefusedError('ERR_UNKNOWN_TOPIC', 'The log has no such topic: see `doorledger topics`.');
    return partitions;
  }

  /** Appends what was accepted, ends every subscription, then lets the cluster go. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
    for (const read of this.#reads) read.fail(new DoorledgerError('ERR_LOG_CLOSED', 'The log was closed while it was read.'));
    await Promise.all([...this.#shared].map((reading) => reading.close()));
    await Promise.all([...this.#followers].map((follower) => follower.close()));
    this.#view.close();
  }
}
