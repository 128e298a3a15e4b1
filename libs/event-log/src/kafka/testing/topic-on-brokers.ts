import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaCluster } from '../../../../../test/kafka/kafka.mjs';
import { settingsToSet } from '../topic-settings.js';
import { bareClient } from './kafka-cluster.js';

/** A topic whose partitions lie on these brokers, the leader first. */
export async function makeTopicOn(cluster: KafkaCluster, topic: string, brokersOf: readonly number[][]): Promise<void> {
  const admin = bareClient(cluster).admin();
  await admin.connect();
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      {
        topic,
        replicaAssignment: brokersOf.map((replicas, partition) => ({ partition, replicas: [...replicas] })),
        configEntries: [...settingsToSet(topic, { dev: true }, 1)].map(([name, value]) => ({ name, value })),
      },
    ],
  });
  await admin.disconnect();
}

/** The broker that leads a partition, as one that is not `asideFrom` says. */
export async function leaderOf(cluster: KafkaCluster, topic: string, partition: number, asideFrom?: number): Promise<number> {
  const bootstrap = cluster.bootstrap.filter((_, i) => i + 1 !== asideFrom);
  const admin = bareClient({ ...cluster, bootstrap }).admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]!.partitions.find(({ partitionId }) => partitionId === partition)!.leader;
  } finally {
    await admin.disconnect();
  }
}

/** Resolves when another broker than `before` leads. */
export async function leaderMoved(cluster: KafkaCluster, topic: string, partition: number, before: number): Promise<number> {
  for (;;) {
    const leader = await leaderOf(cluster, topic, partition, before).catch(() => before);
    if (leader !== before && leader >= 0) return leader;
    await sleep(100);
  }
}

/** How many records a partition holds, as the public client says. */
export async function heldBy(cluster: KafkaCluster, topic: string, partition: number): Promise<number> {
  const admin = bareClient(cluster).admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    return Number(offsets.find((o) => o.partition === partition)!.high);
  } finally {
    await admin.disconnect();
  }
}
