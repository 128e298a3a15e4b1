import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { partitionOf } from '@doorledger/event-log';
import { createTopics, openKafkaLog } from '@doorledger/event-log/kafka';
import { rounded, type CaseReport, type Say } from './case-report.js';
import type { Violation } from './history.js';
import { post } from './post.js';
import { realCluster, type KafkaCluster } from './real-parts.js';
import { Gaps, LeaderWatch } from './silence.js';

export interface BrokerKillOptions {
  /** How many brokers are killed, one after the other. */
  readonly kills: number;
  readonly say?: Say;
}

const PARTITIONS = 12;
const [OURS, RAW] = ['silence.ours', 'silence.raw'] as const;
const WRITE_EVERY_MS = 20;
/** A leader is known, elected and serving: the tail has this long to be there too. */
const TAIL_MS = 1000;
const WRITE_FACTOR = 1.5;
const ANSWER_MS = 30_000;
const WATCH_MS = 12_000;

const keys = Array.from({ length: PARTITIONS }, (_, partition) => {
  for (let n = 0; ; n++) if (partitionOf(`key-${n}`, PARTITIONS) === partition) return `key-${n}`;
});

/**
 * kill -9 of a broker under steady writes to every partition, by the own log and by kafkajs as it is, and turns at the door of a host: how
 * long the tail is silent beyond the time in which nobody could write, and how much longer than kafkajs own appends and turns stand still.
 */
export async function brokerKill({ kills, say = () => {} }: BrokerKillOptions): Promise<CaseReport> {
  const cluster = await realCluster({ brokers: 3, hosts: 1, projectors: 1 });
  const { kafka } = cluster;
  const stop = new AbortController();
  const client = new kafkajs.Kafka({
    clientId: 'raw',
    brokers: kafka.bootstrap,
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 1000,
    retry: { retries: 100, initialRetryTime: 50, maxRetryTime: 300 },
  });
  const producer = client.producer({ createPartitioner: () => (given) => given.message.partition! });
  const topics = new Map([
    [OURS, PARTITIONS],
    [RAW, PARTITIONS],
  ]);
  const connection = { brokers: kafka.bootstrap, clientId: 'silence' };
  await createTopics({ connection, topics, dev: false });
  const log = await openKafkaLog({ ...connection, topics });
  await producer.connect();
  const [tail, appends, sends, turns] = [new Gaps(), new Gaps(), new Gaps(), new Gaps()];
  const door = `${cluster.hosts[0]!.url}/invoke`;
  const value = Buffer.alloc(200, 'x');
  const following = log.follow({ [OURS]: new Array<number>(PARTITIONS).fill(0) }, ({ partition }) => tail.sign(partition));
  const writers = keys.flatMap((key, partition) => [
    writing(stop.signal, async () => {
      await log.append(OURS, [{ key, value, headers: {} }]);
      appends.sign(partition);
    }),
    writing(stop.signal, async () => {
      await producer.send({ topic: RAW, acks: -1, messages: [{ key, value, partition }] });
      sends.sign(partition);
    }),
    // As many callers, each in a session of its own.
    writing(stop.signal, async () => {
      if ((await post(door, { input: 'on', sessionId: key }, ANSWER_MS)).status === 200) turns.sign(partition);
    }),
  ]);
  const violations: Violation[] = [];
  const figures: Record<string, number> = {};
  try {
    await sleep(3000);
    for (let kill = 1; kill <= kills; kill++) {
      const found = await oneKill(kafka, kill, { tail, appends, sends, turns });
      Object.assign(figures, prefixed(`kill ${kill}: `, found.figures));
      violations.push(...found.violations);
      say(JSON.stringify(found.figures));
    }
    return { figures, violations };
  } finally {
    stop.abort();
    await Promise.all(writers);
    await following.close();
    await log.close();
    await producer.disconnect().catch(() => {});
    await cluster.stop();
  }
}

type Watched = Readonly<Record<'tail' | 'appends' | 'sends' | 'turns', Gaps>>;

async function oneKill(kafka: KafkaCluster, kill: number, { tail, appends, sends, turns }: Watched): Promise<CaseReport> {
  const id = 1 + ((kill - 1) % kafka.bootstrap.length);
  const leaders = await LeaderWatch.open(kafka, id, OURS);
  for (const gaps of [tail, appends, sends, turns]) gaps.begin();
  await kafka.kill(id);
  leaders.begin();
  await sleep(WATCH_MS);
  const leaderless = await leaders.close();
  const violations: Violation[] = [];
  let beyond = -Infinity;
  for (const [partition, silent] of tail.longest()) {
    const unwritable = Math.max(leaderless.get(partition) ?? 0, appends.longest().get(partition) ?? 0);
    beyond = Math.max(beyond, silent - unwritable);
    if (silent > unwritable + TAIL_MS)
      violations.push({
        rule: 'K11',
        what: `the tail of partition ${partition} was silent ${silent - unwritable} ms after it could be written`,
      });
  }
  const raw = sends.worst();
  for (const [what, own] of [
    ['appends', appends.worst()],
    ['turns at the door', turns.worst()],
  ] as const)
    if (own > WRITE_FACTOR * raw)
      violations.push({
        rule: 'K10',
        what: `${what} stood still for ${own.toFixed()} ms, appends of kafkajs as it is for ${raw.toFixed()} ms`,
      });
  await kafka.restart(id);
  await sleep(3000);
  const figures = rounded({
    'leaderless, longest': Math.max(...leaderless.values()),
    'tail silent, longest': tail.worst(),
    'tail beyond what could be written': beyond,
    'appends stood still': appends.worst(),
    'turns stood still': turns.worst(),
    'kafkajs stood still': raw,
    'turns against kafkajs': turns.worst() / raw,
  });
  return { figures, violations };
}

const prefixed = (prefix: string, figures: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [prefix + name, value]));

/** One after the other until `stop`; one that fails is followed by the next. */
async function writing(stop: AbortSignal, write: () => Promise<void>): Promise<void> {
  while (!stop.aborted) {
    await write().catch(() => {});
    await sleep(WRITE_EVERY_MS);
  }
}
