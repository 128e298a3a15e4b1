import kafkajs from 'kafkajs';
import type { NewRecord } from '@doorledger/event-log';
import type { KafkaCluster } from '../../test/faults/real-parts.js';

/** kafkajs as it is, without anything of ours. */
export const rawClient = ({ bootstrap }: KafkaCluster): kafkajs.Kafka =>
  new kafkajs.Kafka({ clientId: 'raw', brokers: bootstrap, logLevel: kafkajs.logLevel.NOTHING });

export const rawMessage = ({ key, value, headers }: NewRecord): kafkajs.Message => ({ key, value: Buffer.from(value), headers });

/** Collects what its callers send while a send is in flight, and sends it all at once: the least that anybody would do. */
export class MicroBatches {
  readonly #producer: kafkajs.Producer;
  readonly #topic: string;
  #waiting: { readonly message: kafkajs.Message; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  #isSending = false;

  constructor(producer: kafkajs.Producer, topic: string) {
    this.#producer = producer;
    this.#topic = topic;
  }

  send(message: kafkajs.Message): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject });
      if (!this.#isSending) void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    this.#isSending = true;
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#producer.send({ topic: this.#topic, acks: -1, messages: batch.map(({ message }) => message) });
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isSending = false;
  }
}
