import { Kafka, type Message, type Producer } from 'kafkajs';
import { clientConfig, type KafkaConnectionOptions, timeoutsOf } from './kafka-options.js';
import { Sockets } from './sockets.js';

/** A record with its partition, as the client takes it. */
export interface PlacedMessage extends Message {
  readonly partition: number;
}

/** The client said "sent" without a row for this partition: nobody knows what is on the log. */
export class MissingRowError extends Error {
  constructor(readonly partition: number) {
    super(`the client acknowledged a batch without a row for partition ${partition}`);
  }
}

/**
 * A producer that is believed once at most per batch and thrown away at the first doubt (K10). It is not idempotent: on an
 * error kafkajs takes its sequence numbers back, and the next batch of the same size is then acknowledged as the duplicate of
 * one that did reach the log, at that one's offset, without being on the log. A plain producer cannot do that; what it costs is
 * copies of a record under faults, and every fold takes copies of an event id as one record (L7).
 */
export class TrustedProducer {
  readonly #sockets: Sockets;
  readonly #producer: Producer;
  readonly #timeout: number;

  private constructor(sockets: Sockets, producer: Producer, timeout: number) {
    this.#sockets = sockets;
    this.#producer = producer;
    this.#timeout = timeout;
  }

  /** @throws when no broker answered: nothing was sent. */
  static async connect(options: KafkaConnectionOptions): Promise<TrustedProducer> {
    const sockets = new Sockets();
    const kafka = new Kafka({ ...clientConfig(options), retry: { retries: 0 }, socketFactory: sockets.factory });
    const producer = kafka.producer({
      idempotent: false,
      retry: { retries: 1, initialRetryTime: 50, maxRetryTime: 500 },
      allowAutoTopicCreation: false,
      createPartitioner: () => (given) => given.message.partition!,
    });
    try {
      await producer.connect();
    } catch (error) {
      sockets.destroy();
      throw error;
    }
    const { produce } = timeoutsOf(options);
    return new TrustedProducer(sockets, producer, Math.round((produce * 2) / 3));
  }

  /**
   * Returns the offset of the first message per partition.
   * @throws anything, MissingRowError among it: some, all or none of the messages may be on the log
   */
  async send(topic: string, messages: PlacedMessage[]): Promise<Map<number, number>> {
    const rows = await this.#producer.send({ topic, acks: -1, timeout: this.#timeout, messages });
    const offsets = new Map<number, number>();
    for (const { partition, baseOffset } of rows) {
      const offset = Number(baseOffset ?? -1);
      // Two rows are two copies: the first one on the log is the record.
      if (offset >= 0) offsets.set(partition, Math.min(offset, offsets.get(partition) ?? offset));
    }
    for (const { partition } of messages) if (!offsets.has(partition)) throw new MissingRowError(partition);
    return offsets;
  }

  /** At once: a request in flight is rejected, not waited for. */
  throwAway(): void {
    this.#sockets.destroy();
    this.#producer.disconnect().catch(() => {});
  }
}
