import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts, topics } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { openKafkaLog } from '@doorledger/event-log/kafka';
import { LedgerGenerations, rebuild } from '@doorledger/ledger';
import { PostgresGenerations } from '@doorledger/ledger/postgres';
import { ledgerDigest } from '../../libs/ledger/src/digest.js';
import type { ClusterLoad } from './cluster-load.js';
import { continueEverywhere, ledgersAgree } from './hosts-agree.js';
import { HistoryCheck, type Violation } from './history.js';
import { LeaderEpochs } from './leader-epochs.js';
import type { Cluster } from './real-parts.js';
import { SecondFold } from './second-fold.js';
import { dumpTopic } from './second-reader.js';
import { wellAgain } from './well-again.js';
import { TwoReadings, foldsDiffer } from './two-readings.js';

const counts = partitionCounts('cluster');
const CAUGHT_UP_MS = 120_000;

/** Judges a whole cluster when every fault is over. Its hosts are gone afterwards: the log has to stand still. */
export async function judgeCluster(
  cluster: Cluster,
  load: ClusterLoad,
  say: (line: string) => void,
): Promise<{ records: number; violations: Violation[] }> {
  const violations: Violation[] = [];
  for (const { name } of [...cluster.hosts, ...cluster.projectors])
    await wellAgain(cluster, name).catch((error: Error) => violations.push({ rule: 'K15', what: `at the end ${name}: ${error.message}` }));
  const { continued, violations: refused } = await continueEverywhere(cluster.hosts, load);
  violations.push(...refused);
  say(`each host went on with ${load.sessions.size} sessions`);
  violations.push(...(await ledgersAgree(cluster.projectors, continued)));
  for (const { name } of cluster.hosts) await cluster.kill(name).catch(() => {});
  violations.push(...(await caughtUp(cluster)));
  const log = await openKafkaLog({ brokers: cluster.kafka.bootstrap, clientId: 'faults', topics: counts, dev: true });
  try {
    const check = new HistoryCheck();
    violations.push(...(await readTwice(log, cluster, check)));
    say(`${check.records} records read by two readers`);
    violations.push(
      ...check.judge({ acknowledged: load.acknowledged, ledgerTurns: await ledgerTurns(cluster), isRecordedBeforeReply: true }),
    );
    violations.push(...(await digests(log, cluster, say)));
    return { records: check.records, violations };
  } finally {
    await log.close();
  }
}

/** Waits until every projector has the whole log. */
async function caughtUp({ projectors }: Cluster): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { name, url } of projectors) {
    let lag: number | undefined;
    for (const end = Date.now() + CAUGHT_UP_MS; lag !== 0 && Date.now() < end; await sleep(200))
      lag = await fetch(`${url}/v1/log`, { signal: AbortSignal.timeout(10_000) })
        .then(async (answer) => ((await answer.json()) as { lag?: number }).lag)
        .catch(() => undefined);
    if (lag !== 0) violations.push({ rule: 'X0', what: `${name} has not caught up: ${lag ?? 'no'} records are missing` });
  }
  return violations;
}

/** The log by the own reader and by Kafka's Java client: the same records, and by two folds the same turns. */
async function readTwice(log: EventLog, { kafka }: Cluster, check: HistoryCheck): Promise<Violation[]> {
  const readings = new TwoReadings();
  const fold = new SecondFold();
  const epochs = new LeaderEpochs(join(kafka.home, 'data-1'));
  for (const [topic, partitions] of counts) {
    let records = 0;
    for await (const batch of log.read(topic, new Array<number>(partitions).fill(0)))
      for (const record of batch.records) {
        records++;
        check.see(record);
        readings.seeFirst(record);
      }
    for await (const record of dumpTopic({ kafka, epochs, topic, records })) {
      readings.seeSecond(record);
      if (topic === topics.session.name) fold.see(record);
    }
  }
  return [...readings.judge(), ...foldsDiffer(check.turns, fold.turns)];
}

async function ledgerTurns({ postgres }: Cluster): Promise<Map<string, string>> {
  const generations = await PostgresGenerations.open({ url: postgres.url() });
  const { store } = await generations.openLiveReader();
  try {
    const turns = await store.db.selectFrom('turn').select(['turn_id', 'status']).execute();
    return new Map(turns.map((turn) => [turn.turn_id, turn.status ?? '']));
  } finally {
    await store.close();
    await generations.close();
  }
}

interface Replayed {
  readonly isEqual: boolean;
  readonly live: { readonly sha256: string };
  readonly positions: LogPositions;
}

/** The live ledger, a replay of the log into PostgreSQL and one into SQLite have one digest. */
async function digests(log: EventLog, cluster: Cluster, say: (line: string) => void): Promise<Violation[]> {
  const command = cluster.run(['replay']);
  let output = '';
  for await (const chunk of command.stdout as AsyncIterable<Buffer>) output += chunk.toString();
  const { isEqual, live, positions } = JSON.parse(output) as Replayed;
  const violations: Violation[] = isEqual ? [] : [{ rule: 'X0', what: 'the live ledger and a replay of the log have different digests' }];
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-faults-'));
  const { store } = new LedgerGenerations(dir).openLive();
  try {
    await rebuild({ log, store, upTo: positions });
    const { sha256 } = await store.snapshot((db) => ledgerDigest(db));
    say(`digests: live ${live.sha256.slice(0, 16)}, replayed ${isEqual ? 'the same' : 'another'}, in SQLite ${sha256.slice(0, 16)}`);
    if (sha256 !== live.sha256)
      violations.push({ rule: 'X0', what: 'the ledger in PostgreSQL and the same log in SQLite have different digests' });
  } finally {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
  return violations;
}
