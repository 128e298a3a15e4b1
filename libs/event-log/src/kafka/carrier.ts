import { setTimeout as sleep } from 'node:timers/promises';
import { LogRefusedError } from '../errors.js';
import type { EventLog, RecordBatch } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import { withEpoch } from './carried-epoch.js';
import type { KafkaConnectionOptions } from './kafka-options.js';
import { PARTITION_SEND_BYTES, sizeOf } from './pending-append.js';
import { type PlacedMessage, TrustedProducer } from './trusted-producer.js';

/** Of one batch, with a pause after each that grows from the first: a leader that moves is waited for. */
const TRIES = 12;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

export interface CarryOptions {
  readonly connection: KafkaConnectionOptions;
  /** Nobody writes it meanwhile. */
  readonly from: EventLog;
  /** The log on the cluster, whose topics keep timestamps (`CreateTime`); nobody else writes it. */
  readonly to: Pick<EventLog, 'ends'>;
  /** Told after each batch how many records it held. */
  readonly onCarried?: (records: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Appends what the cluster lacks of a topic, partition by partition, so that every record gets the offset, timestamp and epoch that it has.
 * What was carried before is gone on from.
 * @throws LogRefusedError `ERR_MOVE_DIFFERS` where a record would get another offset, `ERR_MOVE_REFUSED` for records Kafka does not take,
 * `ERR_LOG_UNREACHABLE`
 */
export async function carryTopic(topic: string, options: CarryOptions): Promise<void> {
  const carrier = new Carrier(topic, options);
  try {
    const ends = (await options.to.ends(topic)).map(({ end }) => end);
    for await (const batch of options.from.read(topic, ends)) {
      options.signal?.throwIfAborted();
      await carrier.carry(batch);
    }
  } finally {
    carrier.close();
  }
}

class Carrier {
  readonly #topic: string;
  readonly #options: CarryOptions;
  #producer?: TrustedProducer;

  constructor(topic: string, options: CarryOptions) {
    this.#topic = topic;
    this.#options = options;
  }

  async carry({ partition, records }: RecordBatch): Promise<void> {
    for (const part of inParts(records)) {
      await this.#append(partition, part);
      this.#options.onCarried?.(part.length);
    }
  }

  close(): void {
    this.#producer?.throwAway();
  }

  /** Where the answer is lost, the partition's end says what became of the batch: nobody else writes there. */
  async #append(partition: number, records: readonly StoredRecord[]): Promise<void> {
    const first = records[0]!.offset;
    let pause = FIRST_PAUSE_MS;
    for (let tries = 1; ; tries++) {
      try {
        this.#producer ??= await TrustedProducer.connect(this.#options.connection);
        const offsets = await this.#producer.send(this.#topic, records.map(messageOf));
        if (offsets.get(partition) !== first) throw differs(this.#topic, partition);
        return;
      } catch (error) {
        if (error instanceof LogRefusedError) throw error;
        this.#producer?.throwAway();
        this.#producer = undefined;
        if (tries === TRIES) throw refused(this.#topic, error);
        await sleep(pause, undefined, { signal: this.#options.signal });
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        const { end } = (await this.#options.to.ends(this.#topic))[partition]!;
        if (end === first + records.length) return;
        if (end !== first) throw differs(this.#topic, partition);
      }
    }
  }
}

const messageOf = ({ partition, key, value, headers, epoch, timestamp }: StoredRecord): PlacedMessage => ({
  partition,
  key,
  value: Buffer.from(value ?? []),
  headers: withEpoch(headers, epoch),
  timestamp: String(timestamp),
});

function* inParts(records: readonly StoredRecord[]): Generator<StoredRecord[]> {
  let part: StoredRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = sizeOf(record.key, record.value ?? new Uint8Array(), withEpoch(record.headers, record.epoch));
    if (part.length > 0 && bytes + size > PARTITION_SEND_BYTES) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(record);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** That a partition on the cluster is not the one that is carried there. */
export const differs = (topic: string, partition: number): LogRefusedError =>
  new LogRefusedError(
    'ERR_MOVE_DIFFERS',
    `Partition ${partition} of ${topic} on the cluster is no copy of this log's: somebody else wrote there, or a batch came twice. ` +
      'Delete the doorledger topics on that cluster and move again: the data folder still holds the whole log.',
  );

function refused(topic: string, cause: unknown): LogRefusedError {
  const { type, name = 'Error' } = ((cause as { cause?: unknown }).cause ?? cause) as { type?: string; name?: string };
  return new LogRefusedError(
    'ERR_MOVE_REFUSED',
    `Kafka does not take the records of ${topic} (${type ?? name}). Mend that and move again: the data folder still holds the whole log.`,
    {
      cause,
    },
  );
}
