import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Admin } from 'kafkajs';
import { adminRefusal } from './admin-refusal.js';
import { clientConfig, type KafkaConnectionOptions } from './kafka-options.js';
import { Sockets } from './sockets.js';
import { type JudgeOptions, problemsOf, REPLICAS, settingsToSet, type TopicProblem, type TopicState } from './topic-settings.js';

// kafkajs is CommonJS, and Node finds only some of its names.
const { ConfigResourceTypes, ConfigSource, Kafka } = kafkajs;

/** A broker may not know yet what another one said a moment ago (kafkajs asks any): it is asked again so often, after so many ms. */
const LOOKS = 8;
const LOOK_AGAIN_MS = 150;

export interface TopicsOptions extends JudgeOptions {
  readonly connection: KafkaConnectionOptions;
  /** Partition count per topic name. */
  readonly topics: ReadonlyMap<string, number>;
}

interface FoundTopic extends TopicState {
  /** Those that were set on the topic itself: a change must name them again or they are reset. */
  readonly own: ReadonlyMap<string, string>;
}

/** What is wrong with the topics of a cluster (K13), nothing if all is well. @throws DoorledgerError as an operator's sentence */
export async function judgeTopics({ connection, topics, ...judging }: TopicsOptions): Promise<TopicProblem[]> {
  const names = [...topics.keys()];
  const found = await withAdmin(connection, (admin) =>
    lookAgain(
      () => findTopics(admin, names),
      ({ size }) => size === names.length,
    ),
  );
  return [...topics].flatMap(([topic, partitions]) => problemsOf(topic, partitions, found.get(topic), judging));
}

/**
 * Makes the topics that are missing and mends the settings of those that are there. Partition counts and replication factors
 * of what is there stay: judge again afterwards. Returns what was done, a sentence each.
 * @throws DoorledgerError as an operator's sentence: `ERR_LOG_UNREACHABLE`, `ERR_LOG_LOGIN`, `ERR_LOG_TLS`, `ERR_LOG_FORBIDDEN`, `ERR_TOPICS_REFUSED`
 */
export async function createTopics({ connection, topics, ...judging }: TopicsOptions): Promise<string[]> {
  return withAdmin(connection, async (admin) => {
    const found = await lookAgain(() => findTopics(admin, [...topics.keys()]));
    const { brokers } = await admin.describeCluster();
    const replicationFactor = judging.dev ? Math.min(REPLICAS, brokers.length) : REPLICAS;
    const missing = [...topics].filter(([topic]) => !found.has(topic));
    if (missing.length > 0)
      await admin.createTopics({
        waitForLeaders: false,
        topics: missing.map(([topic, numPartitions]) => ({
          topic,
          numPartitions,
          replicationFactor,
          configEntries: entriesOf(settingsToSet(topic, judging, replicationFactor)),
        })),
      });
    const done = missing.map(([topic, partitions]) => `Made ${topic} with ${partitions} partitions and ${replicationFactor} replicas.`);
    for (const [topic, { own, settings, replicas }] of found) {
      const changes = settingsToSet(topic, judging, replicas, settings);
      if (changes.size === 0) continue;
      const entries = entriesOf(new Map([...own, ...changes]));
      await admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: entries }],
      });
      done.push(`Set ${[...changes].map(([name, value]) => `${name}=${value}`).join(', ')} on ${topic}.`);
    }
    const isAsWanted = ([topic, { settings, replicas }]: [string, FoundTopic]) =>
      settingsToSet(topic, judging, replicas, settings).size === 0;
    await lookAgain(
      () => findTopics(admin, [...topics.keys()]),
      (now) => now.size === topics.size && [...now].every(isAsWanted),
    );
    return done;
  });
}

/** Moves the starts of partitions. @throws DoorledgerError as an operator's sentence */
export function deleteBefore(
  connection: KafkaConnectionOptions,
  topic: string,
  cuts: readonly { readonly partition: number; readonly before: number }[],
): Promise<void> {
  const partitions = cuts.map(({ partition, before }) => ({ partition, offset: String(before) }));
  return withAdmin(connection, async (admin) => {
    // kafkajs asks who leads the partitions before it has learned of the topic: this makes it learn.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions });
  });
}

const entriesOf = (settings: ReadonlyMap<string, string>): { name: string; value: string }[] =>
  [...settings].map(([name, value]) => ({ name, value }));

async function lookAgain<T>(look: () => Promise<T>, isEnough: (found: T) => boolean = () => true): Promise<T> {
  for (let left = LOOKS; ; left--) {
    try {
      const found = await look();
      if (left === 0 || isEnough(found)) return found;
    } catch (error) {
      if (left === 0 || (error as { type?: string }).type !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

async function findTopics(admin: Admin, wanted: readonly string[]): Promise<Map<string, FoundTopic>> {
  const existing = new Set(await admin.listTopics());
  const names = wanted.filter((name) => existing.has(name));
  if (names.length === 0) return new Map();
  const [{ topics }, { resources }] = await Promise.all([
    admin.fetchTopicMetadata({ topics: names }),
    admin.describeConfigs({ includeSynonyms: false, resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })) }),
  ]);
  const entries = new Map(resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]));
  return new Map(
    topics.map(({ name, partitions }) => {
      const ofTopic = entries.get(name) ?? [];
      const own = ofTopic.filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG);
      return [
        name,
        {
          partitions: partitions.length,
          replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
          settings: new Map(ofTopic.map(({ configName, configValue }) => [configName, configValue])),
          own: new Map(own.map(({ configName, configValue }) => [configName, configValue])),
        },
      ];
    }),
  );
}

async function withAdmin<T>(connection: KafkaConnectionOptions, work: (admin: Admin) => Promise<T>): Promise<T> {
  const sockets = new Sockets();
  const admin = new Kafka({
    ...clientConfig(connection),
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 500 },
    socketFactory: sockets.factory,
  }).admin({
    retry: { retries: 5, initialRetryTime: 100 },
  });
  try {
    await admin.connect();
    return await work(admin);
  } catch (error) {
    throw adminRefusal(error, connection.brokers);
  } finally {
    sockets.destroy();
    admin.disconnect().catch(() => {});
  }
}
