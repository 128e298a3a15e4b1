import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type Producer } from 'kafkajs';

import type { KafkaCluster } from '../../../../test/kafka/kafka.mjs';
import type { EventLog, NewRecord, Position } from '../event-log.js';
import { partitionOf } from '../partition.js';
import { AppendIndefiniteError, AppendRefusedError } from '../errors.js';
import { type KafkaLogOptions, openKafkaLog } from './kafka-log.js';
import { connectionTo, describeOnKafka, newTopic } from './testing/kafka-cluster.js';
import { allInSync, heldBy, leaderMoved, leaderOf, makeTopicOn } from './testing/topic-on-brokers.js';
import { MissingRowError } from './trusted-producer.js';

jest.setTimeout(90_000);

/** A key of each partition, in their order. */
const keysOf = (partitions: number): string[] =>
  Array.from({ length: partitions }, (_, partition) => {
    for (let i = 0; ; i++) if (partitionOf(`key-${i}`, partitions) === partition) return `key-${i}`;
  });

const recordOf = (key: string, text: string): NewRecord => ({ key, value: Buffer.from(text), headers: {} });

async function textsOf(log: EventLog, topic: string): Promise<string[]> {
  const texts: string[] = [];
  const from = Array.from({ length: log.topics.get(topic)! }, () => 0);
  for await (const { records } of log.read(topic, from)) texts.push(...records.map(({ value }) => Buffer.from(value!).toString()));
  return texts;
}

const textAt = async (log: EventLog, position: Position | undefined): Promise<string> =>
  Buffer.from((await log.recordAt(position!))!.value!).toString();

/** The public client on its own, as its documentation has it. */
async function bareProducer(cluster: KafkaCluster, requestTimeout: number, retries: number): Promise<Producer> {
  const kafka = new Kafka({
    clientId: 'bare',
    brokers: cluster.bootstrap,
    logLevel: logLevel.NOTHING,
    requestTimeout,
    connectionTimeout: 5_000,
  });
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: () => (given) => given.message.partition!,
    retry: { retries, initialRetryTime: 100, maxRetryTime: 300 },
  });
  await producer.connect();
  return producer;
}

describeOnKafka('acknowledgements of Kafka', (cluster) => {
  const logs: EventLog[] = [];
  const open = async (options: KafkaLogOptions): Promise<EventLog> => {
    const log = await openKafkaLog(options);
    logs.push(log);
    return log;
  };
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
  });

  describe('a broker that stops for a moment', () => {
    const topic = 'acknowledged.phantom';
    let log: EventLog;
    const retries = new EventEmitter();

    beforeEach(async () => {
      const topics = await newTopic(cluster(), topic, 1);
      const timeouts = { connect: 5_000, produce: 400, append: 60_000 };
      log = await open({ ...connectionTo(cluster(), timeouts), topics, onRetry: () => retries.emit('retry') });
    });

    it('K10 is needed: the bare client acknowledges a record that is not on the log', async () => {
      const producer = await bareProducer(cluster(), 400, 1);
      const send = (value: string) => producer.send({ topic, acks: -1, messages: [{ value, partition: 0 }] });
      await send('A');
      const leader = (await leaderOf(cluster(), topic, 0))!;
      cluster().pause(leader);
      await expect(send('B')).rejects.toThrow();
      cluster().resume(leader);
      while ((await heldBy(cluster(), topic, 0)) < 2) await sleep(50);
      const [acknowledged] = await send('C');
      await producer.disconnect();
      expect(acknowledged).toMatchObject({ partition: 0, errorCode: 0, baseOffset: '1' });
      expect(await textsOf(log, topic)).toEqual(['A', 'B']);
    });

    it('K10 holds: the log acknowledges the same records only where they are', async () => {
      const append = async (text: string) => (await log.append(topic, [recordOf('key', text)]))[0];
      const positions = [await append('D')];
      const leader = (await leaderOf(cluster(), topic, 0))!;
      cluster().pause(leader);
      const appending = append('E');
      await once(retries, 'retry');
      cluster().resume(leader);
      positions.push(await appending, await append('F'));
      expect(await Promise.all(positions.map((position) => textAt(log, position)))).toEqual(['D', 'E', 'F']);
      expect(new Set(positions.map((position) => position!.offset)).size).toBe(3);
    });
  });

  describe('a leader that dies when another one took its place', () => {
    const victim = 3;
    const other = 1;

    /** Both partitions are sent to; one leader answers, the other is stopped, replaced by the first, and killed. */
    async function killAfterElection(topic: string): Promise<void> {
      while ((await heldBy(cluster(), topic, 0).catch(() => 0)) < 2) await sleep(50);
      await leaderMoved(cluster(), topic, 1, victim);
      await cluster().kill(victim);
    }

    it('K10 is needed: the bare client acknowledges a batch of which one partition is not on the log', async () => {
      const topic = 'acknowledged.missing-row';
      await makeTopicOn(cluster(), topic, [
        [other, 2],
        [victim, other],
      ]);
      const producer = await bareProducer(cluster(), 30_000, 100);
      const send = (value: string) =>
        producer.send({
          topic,
          acks: -1,
          messages: [
            { value, partition: 0 },
            { value, partition: 1 },
          ],
        });
      expect(await send('A')).toHaveLength(2);
      cluster().pause(victim);
      const [rows] = await Promise.all([send('B'), killAfterElection(topic)]);
      await producer.disconnect();
      expect(rows.map(({ partition }) => partition)).toEqual([0]);
      expect(await heldBy(cluster(), topic, 1)).toBe(1);
      await cluster().restart(victim);
    });

    it('K1 and K10 hold: the log believes nothing of such a batch and appends it again until all of it is there', async () => {
      const topic = 'acknowledged.rows';
      await makeTopicOn(cluster(), topic, [
        [other, 2],
        [victim, other],
      ]);
      const causes: unknown[] = [];
      const options = { ...connectionTo(cluster()), topics: new Map([[topic, 2]]), dev: true };
      const log = await open({ ...options, onRetry: (_, cause) => causes.push(cause) });
      const append = (text: string) =>
        log.append(
          topic,
          keysOf(2).map((key) => recordOf(key, `${text} of ${key}`)),
        );
      await append('A');
      cluster().pause(victim);
      const [positions] = await Promise.all([append('B'), killAfterElection(topic)]);
      expect(causes[0]).toBeInstanceOf(MissingRowError);
      expect(await Promise.all(positions.map((position) => textAt(log, position)))).toEqual(keysOf(2).map((key) => `B of ${key}`));
      await cluster().restart(victim);
    });
  });

  describe('brokers that die and stop under load', () => {
    it('K1, K2, K10 and K11 keep every acknowledgement true, and a tail meets each of them in order', async () => {
      const topic = 'acknowledged.load';
      const topics = await newTopic(cluster(), topic, 6);
      const log = await open({ ...connectionTo(cluster(), { append: 60_000, read: 60_000, produce: 2_000 }), topics });
      const seen = new Map<string, string>();
      const disorder: string[] = [];
      const next = [0, 0, 0, 0, 0, 0];
      const arrivals = new EventEmitter();
      const subscription = log.follow({ [topic]: next }, ({ partition, records }) => {
        for (const { offset, value } of records) {
          if (offset !== next[partition]) disorder.push(`${partition}:${offset} instead of ${next[partition]}`);
          next[partition] = offset + 1;
          seen.set(`${partition}:${offset}`, Buffer.from(value!).toString());
        }
        arrivals.emit('some');
      });
      const acknowledged = new Map<string, string>();
      let isOver = false;
      const caller = async (name: number) => {
        for (let i = 0; !isOver; i++) {
          const text = `${name}-${i}`;
          const [position] = await log.append(topic, [recordOf(text, text)]);
          acknowledged.set(`${position!.partition}:${position!.offset}`, text);
        }
      };
      const callers = Array.from({ length: 24 }, (_, i) => caller(i));
      const moreAcknowledged = async () => {
        for (const until = acknowledged.size + 200; acknowledged.size < until;) await sleep(20);
      };
      await moreAcknowledged();
      const first = (await leaderOf(cluster(), topic, 0))!;
      await cluster().kill(first);
      await moreAcknowledged();
      await cluster().restart(first);
      await allInSync(cluster(), topic);
      const second = (await leaderOf(cluster(), topic, 1))!;
      cluster().pause(second);
      await leaderMoved(cluster(), topic, 1, second);
      await moreAcknowledged();
      cluster().resume(second);
      await moreAcknowledged();
      isOver = true;
      await Promise.all(callers);
      while ([...acknowledged.keys()].some((place) => !seen.has(place))) await once(arrivals, 'some');
      expect([...acknowledged].filter(([place, text]) => seen.get(place) !== text)).toEqual([]);
      expect(disorder).toEqual([]);
      await subscription.close();
    });
  });

  describe('no broker at all', () => {
    it('K4 says of what was sent that nobody knows, and of what was never sent that it is not on the log', async () => {
      const topics = new Map([
        ...(await newTopic(cluster(), 'acknowledged.sent', 1)),
        ...(await newTopic(cluster(), 'acknowledged.unsent', 1)),
      ]);
      const log = await open({ ...connectionTo(cluster(), { connect: 300, produce: 600, append: 1_500 }), topics });
      await log.append('acknowledged.sent', [recordOf('key', 'A')]);
      for (const [id] of cluster().pids()) cluster().pause(id);
      const [sent, unsent] = await Promise.allSettled([
        log.append('acknowledged.sent', [recordOf('key', 'B')]),
        log.append('acknowledged.unsent', [recordOf('key', 'C')]),
      ]);
      for (const [id] of cluster().pids()) cluster().resume(id);
      expect(sent).toMatchObject({ status: 'rejected', reason: { code: 'ERR_APPEND_UNKNOWN' } });
      expect(unsent).toMatchObject({ status: 'rejected', reason: { code: 'ERR_LOG_UNREACHABLE' } });
      expect((sent as PromiseRejectedResult).reason).toBeInstanceOf(AppendIndefiniteError);
      expect((unsent as PromiseRejectedResult).reason).toBeInstanceOf(AppendRefusedError);
    });
  });
});
