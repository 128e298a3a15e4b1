import { partitionCounts } from '@doorledger/contracts';
import { createTopics, openKafkaLog } from '@doorledger/event-log/kafka';
import { isKafkaThere, realKafka, realPostgres, type KafkaCluster, type PostgresServer } from '../../test/faults/real-parts.js';
import type { Bench, BenchRow } from '../row.js';
import { kafkaAppend } from './kafka-append.js';
import { kafkaClaim } from './kafka-claim.js';
import { kafkaReplay } from './kafka-replay.js';

const RAW_TOPIC = 'bench.raw';
const BROKERS = 3;

/** Everything that is measured on a cluster: three brokers and PostgreSQL on this machine. */
export const kafka: Bench = {
  name: 'kafka',
  about: 'claims and appends on three brokers against kafkajs as it is, replay into PostgreSQL, start of a host',
  run: async (say) => {
    if (!isKafkaThere()) {
      say('SKIPPED: there is no Kafka here. Run "node scripts/setup.mjs kafka" first; it needs java and mvn.');
      return [];
    }
    const [cluster, postgres] = await Promise.all([realKafka({ brokers: BROKERS, heapMb: 512 }), realPostgres({ durable: true })]);
    try {
      return await measure(cluster, postgres, say);
    } finally {
      await Promise.all([cluster.stop(), postgres.stop()]);
    }
  },
};

async function measure(cluster: KafkaCluster, postgres: PostgresServer, say: (line: string) => void): Promise<BenchRow[]> {
  const connection = { brokers: cluster.bootstrap, clientId: 'bench' };
  const topics = partitionCounts('cluster');
  await createTopics({ connection, topics: new Map([...topics, [RAW_TOPIC, 48]]), dev: false });
  const log = await openKafkaLog({ ...connection, topics });
  try {
    const on = { kafka: cluster, postgres, log, say };
    return [...(await kafkaClaim(on, RAW_TOPIC)), ...(await kafkaAppend(on, RAW_TOPIC)), ...(await kafkaReplay(on))];
  } finally {
    await log.close();
  }
}
