import type { ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { KafkaCluster, startKafka } from '../kafka/kafka.mjs';
import type { PostgresServer, startPostgres } from '../postgres/postgres.mjs';

export type { KafkaCluster, PostgresServer };

/** One process of the product. */
export interface ClusterNode {
  readonly name: string;
  readonly url: string;
}

/** The whole system as real processes (test/cluster/cluster.mjs). */
export interface Cluster {
  readonly kafka: KafkaCluster;
  readonly postgres: PostgresServer;
  readonly env: Readonly<Record<string, string>>;
  readonly hosts: readonly ClusterNode[];
  readonly projectors: readonly ClusterNode[];
  run(args: readonly string[]): ChildProcessByStdio<null, Readable, null>;
  /** @throws when the process has ended, or is not ready in time */
  ready(name: string, timeoutMs?: number): Promise<void>;
  kill(name: string): Promise<void>;
  pause(name: string): void;
  resume(name: string): void;
  start(name: string): void;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly brokers?: number;
  readonly hosts?: number;
  readonly projectors?: number;
  /** Environment of every process. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told what a process says on stderr. */
  readonly say?: (name: string, text: string) => void;
}

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
