import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError, partitionCounts } from '@doorledger/contracts';
import { createTopics, judgeTopics, openKafkaLog, type KafkaEventLog, type TopicsOptions } from '@doorledger/event-log/kafka';
import { whenThere } from '../../../host/src/open-ledger.js';
import { kafkaConnection } from '../../../host/src/open-log.js';
import type { Parts } from '../parts.js';

/** The topics that a data folder's log is carried to: as many partitions as it has. */
export const targetTopics = (config: DoorledgerConfig): TopicsOptions => ({
  connection: kafkaConnection(config),
  topics: partitionCounts('embedded'),
  dev: config.kafka.dev,
});

/**
 * The log on the cluster, to read what it holds; brokers that do not answer are waited for. Missing topics are made, to keep the timestamps of
 * what is carried; others stay as they are.
 * @throws LogRefusedError `ERR_TOPIC_SETTINGS`
 */
export async function openTarget(config: DoorledgerConfig, parts: Parts): Promise<KafkaEventLog> {
  const options = targetTopics(config);
  await whenThere(() => makeMissing(options), parts);
  const { signal, onWaiting } = parts;
  return openKafkaLog({ ...options.connection, topics: options.topics, dev: options.dev, timestamps: 'any', signal, onWaiting });
}

async function makeMissing(options: TopicsOptions): Promise<void> {
  const problems = await judgeTopics({ ...options, timestamps: 'any' });
  const missing = problems.filter(({ setting }) => setting === 'topic').map(({ topic }) => topic);
  if (missing.length === 0) return;
  const topics = new Map([...options.topics].filter(([topic]) => missing.includes(topic)));
  await createTopics({ ...options, topics, timestamps: 'CreateTime' });
}

/** From here on the topics keep the timestamps of what is carried, and no host starts on them (K13). */
export async function openForCarrying(config: DoorledgerConfig, parts: Parts): Promise<void> {
  await whenThere(() => createTopics({ ...targetTopics(config), timestamps: 'CreateTime' }), parts);
}

/** From here on hosts start on these topics. @throws DoorledgerError `ERR_TOPIC_SETTINGS` */
export async function openForUse(config: DoorledgerConfig, parts: Parts): Promise<void> {
  const options = targetTopics(config);
  await whenThere(() => createTopics(options), parts);
  const [problem] = await whenThere(() => judgeTopics(options), parts);
  if (problem)
    throw new DoorledgerError(
      'ERR_TOPIC_SETTINGS',
      `The log is moved, and ${problem.topic} is not set up for use: ${problem.setting} is ${problem.found}. Move again, or mend it: ${problem.mend}.`,
    );
}
