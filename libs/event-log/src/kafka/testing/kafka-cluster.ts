import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type KafkaCluster, startKafka } from '../../../../../test/kafka/kafka.mjs';
import { Kafka, logLevel } from 'kafkajs';
import type { KafkaConnectionOptions } from '../kafka-options.js';
import { createTopics } from '../topics-admin.js';
import { calm } from './calm-timeouts.js';

const START_MS = 120_000;
const jars = join(process.cwd(), '.cache/kafka');

/** A group of specs on a cluster of their own, of three brokers unless said otherwise; skipped aloud where there is no Kafka, unless it is required. */
export function describeOnKafka(
  name: string,
  specs: (cluster: () => KafkaCluster) => void,
  options: Parameters<typeof startKafka>[0] = { brokers: 3 },
): void {
  const isThere = existsSync(jars) || process.env.REQUIRE_KAFKA !== undefined;
  if (!isThere) console.warn(`SKIPPED: "${name}" needs Kafka. Run "node scripts/setup.mjs kafka" first.`);
  (isThere ? describe : describe.skip)(name, () => {
    let cluster: KafkaCluster | undefined;
    beforeAll(async () => {
      cluster = await startKafka(options);
    }, START_MS);
    afterAll(() => cluster?.stop());
    specs(() => cluster!);
  });
}

export const connectionTo = (cluster: KafkaCluster, timeouts: KafkaConnectionOptions['timeouts'] = calm): KafkaConnectionOptions => ({
  brokers: cluster.bootstrap,
  clientId: 'doorledger-spec',
  timeouts,
});

/** The public client as it is, for what the adapter is compared with. */
export const bareClient = (cluster: KafkaCluster): Kafka =>
  new Kafka({
    clientId: 'bare',
    brokers: cluster.bootstrap,
    logLevel: logLevel.NOTHING,
    retry: { retries: 30, initialRetryTime: 100, maxRetryTime: 500 },
  });

/** A topic with the settings the log needs, new and empty. */
export async function newTopic(cluster: KafkaCluster, name: string, partitions: number): Promise<ReadonlyMap<string, number>> {
  const topics = new Map([[name, partitions]]);
  const admin = bareClient(cluster).admin();
  await admin.connect();
  if ((await admin.listTopics()).includes(name)) await admin.deleteTopics({ topics: [name] });
  await admin.disconnect();
  // A broker that has not heard of the deletion yet says that the old one is still there.
  for (let made: string[] = []; made.length === 0;) made = await createTopics({ connection: connectionTo(cluster), topics, dev: false });
  return topics;
}
