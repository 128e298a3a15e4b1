import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster, ClusterNode, ClusterOptions, Link } from '../cluster/cluster.mjs';
import type { KafkaCluster, startKafka } from '../kafka/kafka.mjs';
import type { SmallDisk } from '../kafka/small-disk.mjs';
import type { PostgresServer, startPostgres } from '../postgres/postgres.mjs';

export type { Cluster, ClusterNode, ClusterOptions, Link, KafkaCluster, PostgresServer };

const ROOT = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../..' : '../../..', import.meta.url));

/** The checkout, also when this file runs from `dist`. */
export const inCheckout = (path: string): string => join(ROOT, path);

/** Java's jars are fetched once by `node scripts/setup.mjs kafka`, where java and mvn are. */
export const isKafkaThere = (): boolean => existsSync(inCheckout('.cache/kafka'));

/** These modules are not built: they are found in the checkout, wherever this file runs. */
const load = async (path: string): Promise<unknown> => import(inCheckout(path));

export async function realCluster(options: ClusterOptions): Promise<Cluster> {
  const { startCluster } = (await load('test/cluster/cluster.mjs')) as { startCluster: (o: ClusterOptions) => Promise<Cluster> };
  return startCluster(options);
}

export async function realKafka(options: Parameters<typeof startKafka>[0]): Promise<KafkaCluster> {
  return ((await load('test/kafka/kafka.mjs')) as { startKafka: typeof startKafka }).startKafka(options);
}

export async function realPostgres(options: Parameters<typeof startPostgres>[0] = {}): Promise<PostgresServer> {
  return ((await load('test/postgres/postgres.mjs')) as { startPostgres: typeof startPostgres }).startPostgres(options);
}

export async function smallDisk(dir: string, megabytes: number): Promise<SmallDisk> {
  const { smallDisk: make } = (await load('test/kafka/small-disk.mjs')) as { smallDisk: typeof smallDisk };
  return make(dir, megabytes);
}
