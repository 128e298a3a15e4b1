import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaCluster } from '../../../../../test/kafka/kafka.mjs';
import { ClusterView } from '../cluster-view.js';
import { listRanges } from '../list-offsets.js';
import { settingsToSet } from '../topic-settings.js';
import { bareClient, connectionTo } from './kafka-cluster.js';

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

/** Of a cluster in which some brokers may be stopped: the public client would ask those too, and wait. */
const viewOf = (cluster: KafkaCluster, topic: string): Promise<ClusterView> =>
  ClusterView.open(connectionTo(cluster, { connect: 1_000, request: 1_000 }), [topic]);

export async function leaderOf(cluster: KafkaCluster, topic: string, partition: number): Promise<number | undefined> {
  const view = await viewOf(cluster, topic);
  view.close();
  return view.leaderOf(topic, partition);
}

/** Resolves when another broker than `before` leads. */
export async function leaderMoved(cluster: KafkaCluster, topic: string, partition: number, before: number): Promise<void> {
  for (
    let leader: number | undefined = before;
    leader === undefined || leader === before;
    leader = await leaderOf(cluster, topic, partition)
  )
    await sleep(100);
}

/** How many records a partition holds. */
export async function heldBy(cluster: KafkaCluster, topic: string, partition: number): Promise<number> {
  const view = await viewOf(cluster, topic);
  const [range] = await listRanges(view, topic, [partition]).finally(() => view.close());
  return range!.end;
}

/** Resolves when every replica of a topic has caught up, so that the next fault is the only one. All brokers must be up. */
export async function allInSync(cluster: KafkaCluster, topic: string): Promise<void> {
  const admin = bareClient(cluster).admin();
  await admin.connect();
  for (let isBehind = true; isBehind; await sleep(100)) {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    isBehind = topics[0]!.partitions.some(({ isr, replicas }) => isr.length < replicas.length);
  }
  await admin.disconnect();
}
