import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogPositions } from '@doorledger/event-log';
import { projectedTopics, rebuild } from '@doorledger/ledger';
import { PostgresGenerations, openPostgresPool } from '@doorledger/ledger/postgres';
import { ContentKeys, loadDeploymentKey } from '@doorledger/privacy';
import { openPostgresKeyStore } from '@doorledger/privacy/postgres';
import { cli, ended } from '../../test/faults/served-process.js';
import { compared, median, type BenchRow } from '../row.js';
import { inScratch } from '../scratch.js';
import { FACTS, FACTS_PER_TURN, writeTurns } from '../turns.js';
import type { OnKafka } from './on-kafka.js';

const STARTS = 3;

/** Folds the log of a cluster into PostgreSQL, then starts hosts beside a ledger that has all of it. */
export async function kafkaReplay(on: OnKafka): Promise<BenchRow[]> {
  const { log, postgres, say } = on;
  const key = randomBytes(32).toString('hex');
  await writeTurns(log, { turns: FACTS / FACTS_PER_TURN, keyId: await contentKey(postgres.url(), key), say });
  const readAt = performance.now();
  let read = 0;
  for (const topic of projectedTopics)
    for await (const { records } of log.read(topic, new Array<number>(log.topics.get(topic)!).fill(0))) read += records.length;
  const readRate = (read * 1000) / (performance.now() - readAt);
  const upTo: LogPositions = Object.fromEntries(
    await Promise.all(projectedTopics.map(async (topic) => [topic, (await log.ends(topic)).map(({ end }) => end)] as const)),
  );
  const generations = await PostgresGenerations.open({ url: postgres.url() });
  const { store } = await generations.openLive();
  const startedAt = performance.now();
  await rebuild({ log, store, upTo });
  const rate = (read * 1000) / (performance.now() - startedAt);
  await store.close();
  await generations.close();
  const baseline = { name: 'reading the same log and throwing it away', value: readRate };
  return [
    compared('kafka replay into PostgreSQL', rate, 'facts/s', baseline, `${read.toLocaleString('en')} facts`),
    await hostStart(on, key, read),
  ];
}

/** A host refuses a log whose newest content is sealed under a key that the store does not have. */
async function contentKey(url: string, configured: string): Promise<string> {
  const store = await openPostgresKeyStore(openPostgresPool({ url, role: 'keys' }));
  const deploymentKey = loadDeploymentKey({ configured, dir: '', mayCreate: false });
  const { keyId } = await new ContentKeys(deploymentKey, store).keyFor({ kind: 'boot', ref: randomUUID() });
  await store.close();
  return keyId;
}

async function hostStart({ kafka, postgres }: OnKafka, key: string, records: number): Promise<BenchRow> {
  const readyMs: number[] = [];
  const bareMs: number[] = [];
  await inScratch(async (dir) => {
    const env = {
      DOORLEDGER_LOG: 'kafka',
      DOORLEDGER_STORE: 'postgres',
      DOORLEDGER_KAFKA_BROKERS: kafka.bootstrap.join(','),
      DOORLEDGER_DATABASE_URL: postgres.url(),
      DOORLEDGER_KEY: key,
      DOORLEDGER_HOST_ID: 'bench',
      DOORLEDGER_DATA: dir,
      DOORLEDGER_PORT: '0',
      DOORLEDGER_LOGGING_LEVEL: 'warn',
    };
    // The first start makes what a new log lacks.
    for (let start = 0; start <= STARTS; start++) {
      const at = performance.now();
      const host = cli(['host'], env);
      await ready(host);
      if (start > 0) readyMs.push(performance.now() - at);
      await ended(host, 'SIGTERM');
      const bareAt = performance.now();
      await ended(cli(['--version']));
      bareMs.push(performance.now() - bareAt);
    }
  });
  const baseline = { name: 'the same process printing its version', value: median(bareMs) };
  return compared('kafka host start to ready', median(readyMs), 'ms', baseline, `${records.toLocaleString('en')} records on the log`);
}

/** Its address is said once its doors listen. */
async function ready(host: ReturnType<typeof cli>): Promise<void> {
  let said = '';
  host.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  for (; host.exitCode === null; await sleep(20)) {
    const [url] = /http:\/\/[\d.:]+/.exec(said) ?? [];
    const answer = url && (await fetch(`${url}/ready`).catch(() => undefined));
    if (answer && answer.status === 200) return;
  }
  throw new Error(`The host ended: ${said}`);
}
