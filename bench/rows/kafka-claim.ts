import { randomUUID } from 'node:crypto';
import type kafkajs from 'kafkajs';
import { compared, percentile, type BenchRow } from '../row.js';
import { claimRecord } from './append.js';
import { claimOf, claimingOn } from './claiming.js';
import type { OnKafka } from './on-kafka.js';
import { rawClient, rawMessage } from './raw-kafka.js';

const CLAIMS = 1500;
const WARM_UP = 100;

/** Append → the own fold says that it stands, one after the other, by turns with a message that kafkajs sends and reads back. */
export async function kafkaClaim({ kafka, log }: OnKafka, rawTopic: string): Promise<BenchRow[]> {
  const { view, tail, claims } = claimingOn(log);
  const echo = await RawEcho.open(rawClient(kafka), rawTopic);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let i = 0; i < CLAIMS + WARM_UP; i++) {
    const turnId = randomUUID();
    const held = await view.hold(turnId, true);
    let at = performance.now();
    const [met] = await claims.append(turnId, [claimOf(turnId)]);
    const own = performance.now() - at;
    if (!met!.verdict.stands) throw new Error('A claim on a fresh key did not stand.');
    held.release();
    const message = rawMessage(claimRecord());
    at = performance.now();
    await echo.roundTrip(message);
    const raw = performance.now() - at;
    if (i < WARM_UP) continue;
    ours.push(own);
    theirs.push(raw);
  }
  await tail.close();
  await echo.close();
  const row = (p: number, label: string) =>
    compared(`kafka claim round trip ${label}`, percentile(ours, p), 'ms', {
      name: `kafkajs: send, read back ${label}`,
      value: percentile(theirs, p),
    });
  return [row(0.5, 'p50'), row(0.99, 'p99')];
}

/** A producer and a consumer of kafkajs on one topic. */
class RawEcho {
  readonly #waiting = new Map<string, () => void>();

  private constructor(
    readonly producer: kafkajs.Producer,
    readonly consumer: kafkajs.Consumer,
    readonly topic: string,
  ) {}

  static async open(client: kafkajs.Kafka, topic: string): Promise<RawEcho> {
    const [producer, consumer] = [client.producer(), client.consumer({ groupId: `raw-${randomUUID()}` })];
    await Promise.all([producer.connect(), consumer.connect()]);
    await consumer.subscribe({ topic, fromBeginning: true });
    const echo = new RawEcho(producer, consumer, topic);
    await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => echo.#waiting.get(message.key!.toString())?.() });
    return echo;
  }

  async roundTrip(message: kafkajs.Message): Promise<void> {
    const key = String(message.key);
    const back = new Promise<void>((resolve) => this.#waiting.set(key, resolve));
    await this.producer.send({ topic: this.topic, acks: -1, messages: [message] });
    await back;
    this.#waiting.delete(key);
  }

  async close(): Promise<void> {
    await Promise.all([this.producer.disconnect(), this.consumer.disconnect()]);
  }
}
