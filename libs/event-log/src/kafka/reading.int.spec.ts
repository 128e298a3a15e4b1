import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import kafkajs from 'kafkajs';
import type { EventLog, RecordBatch } from '../event-log.js';
import { type KafkaLogOptions, openKafkaLog } from './kafka-log.js';
import { bareClient, connectionTo, describeOnKafka, newTopic } from './testing/kafka-cluster.js';
import { leaderMoved, leaderOf } from './testing/topic-on-brokers.js';
import { createTopics, judgeTopics } from './topics-admin.js';

jest.setTimeout(60_000);

const { ConfigResourceTypes } = kafkajs;
const textOf = (value: Uint8Array | null): string => Buffer.from(value ?? []).toString();

/** The texts that were delivered, and a promise for so many of them. */
function gather() {
  const texts: string[] = [];
  let check = (): void => {};
  return {
    texts,
    take: ({ records }: RecordBatch): void => {
      texts.push(...records.map(({ value }) => textOf(value)));
      check();
    },
    until: (count: number): Promise<void> =>
      new Promise((resolve) => {
        check = () => void (texts.length >= count && resolve());
        check();
      }),
  };
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describeOnKafka('reading Kafka', (cluster) => {
  const topic = 'reading';
  const opened: EventLog[] = [];
  const servers: Server[] = [];

  const open = async (options: Partial<KafkaLogOptions> & Pick<KafkaLogOptions, 'topics'>): Promise<EventLog> => {
    const log = await openKafkaLog({ ...connectionTo(cluster()), ...options });
    opened.push(log);
    return log;
  };
  const newLog = async (partitions = 1): Promise<EventLog> => open({ topics: await newTopic(cluster(), topic, partitions) });
  const append = (log: EventLog, ...texts: string[]) =>
    log.append(
      topic,
      texts.map((text) => ({ key: 'key', value: Buffer.from(text), headers: {} })),
    );

  async function alterTopic(name: string, value: string): Promise<void> {
    const admin = bareClient(cluster()).admin();
    await admin.connect();
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name, value }] }];
    await admin.alterConfigs({ validateOnly: false, resources });
    await admin.disconnect();
  }

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((log) => log.close()));
    for (const server of servers.splice(0)) server.close();
  });

  it('K2 and K11 pass the records of a control batch and of an aborted foreign transaction, and nothing else', async () => {
    const log = await newLog();
    const found = gather();
    const subscription = log.follow({ [topic]: [0] }, found.take);
    const producer = bareClient(cluster()).producer({
      transactionalId: 'foreign',
      maxInFlightRequests: 1,
      idempotent: true,
      createPartitioner: () => () => 0,
    });
    await producer.connect();
    await append(log, 'before');
    const undone = await producer.transaction();
    await undone.send({ topic, messages: [{ value: 'undone' }] });
    await undone.abort();
    const done = await producer.transaction();
    await done.send({ topic, messages: [{ value: 'done' }] });
    await done.commit();
    await producer.disconnect();
    await found.until(2);
    const [after] = await append(log, 'after');
    await found.until(3);
    expect(found.texts).toEqual(['before', 'done', 'after']);
    expect(after!.offset).toBe(5);
    expect(await log.recordAt({ topic, partition: 0, offset: 1 })).toBeUndefined();
    const read: number[] = [];
    for await (const { records } of log.read(topic, [1])) read.push(...records.map(({ offset }) => offset));
    expect(read).toEqual([3, 5]);
    await subscription.close();
  });

  it('K12 stops with "history was lost" where the log starts after the position, and goes on where it does not', async () => {
    const log = await newLog();
    await append(log, 'a', 'b', 'c', 'd');
    const admin = bareClient(cluster()).admin();
    await admin.connect();
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    await admin.disconnect();
    const found = gather();
    await expect(log.follow({ [topic]: [1] }, found.take).failed).rejects.toMatchObject({ code: 'ERR_HISTORY_LOST' });
    expect(found.texts).toEqual([]);
    await expect(log.read(topic, [0])[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ERR_HISTORY_LOST' });
    const subscription = log.follow({ [topic]: [2] }, found.take);
    await found.until(2);
    expect(found.texts).toEqual(['c', 'd']);
    expect(await log.ends(topic)).toEqual([{ start: 2, end: 4 }]);
    await subscription.close();
  });

  it('K13 stops at a batch that it cannot decode, after everything before it, and names topic, partition, offset and codec', async () => {
    const log = await newLog();
    await append(log, 'a', 'b');
    await alterTopic('compression.type', 'zstd');
    const found = gather();
    let failure: unknown;
    log.follow({ [topic]: [0] }, found.take).failed.catch((error: unknown) => (failure = error));
    // The leader takes a setting up some moments after it was acknowledged.
    while (failure === undefined) await append(log, 'c');
    const offset = found.texts.length;
    expect(failure).toMatchObject({
      code: 'ERR_BATCH_UNREADABLE',
      message: expect.stringMatching(new RegExp(`reading partition 0 offset ${offset} \\(zstd\\)`)),
    });
    expect(found.texts.join('')).toMatch(/^abc*$/);
    await expect(log.recordAt({ topic, partition: 0, offset })).rejects.toMatchObject({ code: 'ERR_BATCH_UNREADABLE' });
  });

  it('K13 refuses to start on settings that break the law, names them with their mend, and starts once that was done', async () => {
    const topics = await newTopic(cluster(), topic, 2);
    await alterTopic('cleanup.policy', 'compact');
    const options = { connection: connectionTo(cluster()), topics, dev: false };
    const wrong = (await judgeTopics(options)).map(({ setting, found }) => `${setting}=${found}`);
    expect(wrong).toEqual(
      expect.arrayContaining(['cleanup.policy=compact', 'retention.ms=604800000', 'message.timestamp.type=CreateTime']),
    );
    await expect(open({ topics })).rejects.toMatchObject({
      code: 'ERR_TOPIC_SETTINGS',
      message: expect.stringMatching(/cleanup\.policy is compact, wanted delete \(mend: doorledger topics --create\)/),
    });
    expect(await createTopics(options)).toEqual([expect.stringMatching(/^Set cleanup\.policy=delete, .* on reading\.$/)]);
    expect(await judgeTopics(options)).toEqual([]);
    await expect(open({ topics })).resolves.toMatchObject({ place: expect.any(String) });
    await expect(open({ topics: new Map([[topic, 3]]) })).rejects.toMatchObject({
      code: 'ERR_TOPIC_SETTINGS',
      message: expect.stringMatching(/partitions is 2/),
    });
    await expect(open({ topics: new Map([['reading.missing', 1]]) })).rejects.toMatchObject({
      message: expect.stringMatching(/reading\.missing: topic is missing/),
    });
  });

  it('K15 waits for a cluster that is not there yet, says so, and opens when it comes', async () => {
    const topics = await newTopic(cluster(), topic, 1);
    const [host, port] = cluster().bootstrap[0]!.split(':');
    const door = createServer((socket) =>
      socket
        .pipe(connect(Number(port), host))
        .pipe(socket)
        .on('error', () => socket.destroy()),
    );
    const address = await listen(door);
    door.close();
    await once(door, 'close');
    let told = (_missing: string): void => {};
    const waiting = new Promise<string>((resolve) => (told = resolve));
    const opening = open({ topics, brokers: [address], onWaiting: told });
    expect(await waiting).toMatch(new RegExp(`^Waiting for Kafka at ${address} `));
    servers.push(door.listen(Number(address.split(':')[1]), '127.0.0.1'));
    expect((await opening).place).not.toBe('');
  });

  it('K15 stops waiting when it is told to', async () => {
    const stop = new AbortController();
    const opening = open({
      topics: new Map([[topic, 1]]),
      brokers: ['127.0.0.1:1'],
      signal: stop.signal,
      onWaiting: () => stop.abort(new Error('told to stop')),
    });
    await expect(opening).rejects.toThrow('told to stop');
  });

  it('K10 is not held up by a first broker that takes connections and answers nothing', async () => {
    const topics = await newTopic(cluster(), topic, 1);
    const hung = createServer(() => {});
    servers.push(hung);
    const brokers = [await listen(hung), ...cluster().bootstrap];
    const log = await open({ ...connectionTo(cluster(), { connect: 500, request: 500, produce: 500 }), brokers, topics });
    await expect(append(log, 'a')).resolves.toHaveLength(1);
    hung.unref();
  });

  it('K7 and K11 hold a bounded part of a partition whose reader is slow, and give it all of it in order in the end', async () => {
    const log = await newLog();
    const piece = 'x'.repeat(100_000);
    for (let i = 0; i < 30; i++) await append(log, `${i} ${piece}`);
    const numbers: number[] = [];
    let largest = 0;
    let met = (): void => {};
    const all = new Promise<void>((resolve) => (met = resolve));
    const subscription = log.follow({ [topic]: [0] }, async ({ records }) => {
      largest = Math.max(largest, records.length);
      numbers.push(...records.map(({ value }) => parseInt(textOf(value))));
      await log.ends(topic);
      if (numbers.length === 30) met();
    });
    await all;
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(largest).toBeLessThanOrEqual(15);
    await subscription.close();
  });

  it('K11 reads on from the new leader while the old one hangs, without a group', async () => {
    const topics = await newTopic(cluster(), topic, 3);
    const log = await open({ ...connectionTo(cluster(), { append: 60_000, read: 60_000, produce: 2_000 }), topics });
    const found = gather();
    const subscription = log.follow({ [topic]: [0, 0, 0] }, found.take);
    await append(log, 'before');
    await found.until(1);
    const { partition } = (await append(log, 'place'))[0]!;
    const leader = (await leaderOf(cluster(), topic, partition))!;
    cluster().pause(leader);
    await leaderMoved(cluster(), topic, partition, leader);
    await append(log, 'during');
    while (!found.texts.includes('during')) await found.until(found.texts.length + 1);
    cluster().resume(leader);
    const admin = bareClient(cluster()).admin();
    await admin.connect();
    expect((await admin.listGroups()).groups).toEqual([]);
    await admin.disconnect();
    await subscription.close();
  });
});
