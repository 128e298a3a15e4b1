import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { realKafka, realPostgres, type KafkaCluster, type PostgresServer } from '../../faults/real-parts.js';
import { cli, ended, type Served } from '../../faults/served-process.js';

/** A cluster and a database that a log is moved to, and processes of the product on them. */
export class KafkaPlace {
  readonly #dir = mkdtempSync(join(tmpdir(), 'doorledger-place-'));
  readonly #running: ReturnType<typeof cli>[] = [];

  private constructor(
    readonly kafka: KafkaCluster,
    readonly postgres: PostgresServer,
  ) {}

  static async start(): Promise<KafkaPlace> {
    const [kafka, postgres] = await Promise.all([realKafka({ brokers: 1 }), realPostgres()]);
    return new KafkaPlace(kafka, postgres);
  }

  /** `key`: the deployment key of the folder that is moved. */
  env(key: string): Record<string, string> {
    return {
      DOORLEDGER_LOG: 'kafka',
      DOORLEDGER_KAFKA_BROKERS: this.kafka.bootstrap.join(','),
      DOORLEDGER_KAFKA_PARTITIONS: 'embedded',
      DOORLEDGER_KAFKA_DEV: 'true',
      DOORLEDGER_STORE: 'postgres',
      DOORLEDGER_DATABASE_URL: this.postgres.url(),
      DOORLEDGER_KEY: key,
      DOORLEDGER_LOGGING_LEVEL: 'warn',
    };
  }

  /** A projector and a host, which is what is asked from then on. */
  async serve(env: Record<string, string>): Promise<Served> {
    this.#launch(['projector', '--projector-port', '0'], env);
    const startedAt = performance.now();
    const host = this.#launch(['host', '--port', '0'], env);
    let words = '';
    host.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
    for (;;) {
      if (host.exitCode !== null) throw new Error(`doorledger host ended: ${words}`);
      const [url = ''] = /http:\/\/[\d.]+:\d+/.exec(words) ?? [];
      const ready = url !== '' && (await fetch(`${url}/ready`).catch(() => undefined));
      if (ready && ready.status === 200)
        return {
          url,
          words: () => words,
          pid: host.pid!,
          readyMs: performance.now() - startedAt,
          stop: () => ended(host, 'SIGTERM'),
          kill: () => ended(host, 'SIGKILL'),
        };
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((child) => ended(child, 'SIGTERM')));
    await Promise.all([this.kafka.stop(), this.postgres.stop()]);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #launch(args: readonly string[], env: Record<string, string>): ReturnType<typeof cli> {
    const child = cli([...args, '--data', join(this.#dir, args[0]!)], env);
    child.stdout.resume();
    child.stderr.resume();
    this.#running.push(child);
    return child;
  }
}
