import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { KafkaCluster } from '../kafka/kafka.mjs';
import type { PostgresServer } from '../postgres/postgres.mjs';

/** A host or a projector. */
export interface ClusterNode {
  readonly name: string;
  readonly url: string;
}
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
  end(name: string): Promise<number | NodeJS.Signals>;
  pause(name: string): void;
  resume(name: string): void;
  start(name: string): void;
  stop(): Promise<void>;
}
export interface ClusterOptions {
  readonly brokers?: number;
  readonly hosts?: number;
  readonly projectors?: number;
  /** Hosts know each other's addresses, and forward to each other (L6). */
  readonly peers?: boolean;
  /** Environment of every process. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told what a process says on stderr. */
  readonly say?: (name: string, text: string) => void;
}
export function startCluster(options?: ClusterOptions): Promise<Cluster>;
