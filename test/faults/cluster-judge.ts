import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { openKafkaLog } from '@doorledger/event-log/kafka';
import { LedgerGenerations, rebuild, type LedgerStore } from '@doorledger/ledger';
import { PostgresGenerations } from '@doorledger/ledger/postgres';
import { ledgerDigest } from '../../libs/ledger/src/digest.js';
import { lifeChecks } from './census-kill.js';
import { continueEverywhere, ledgersAgree } from './hosts-agree.js';
import { HistoryCheck, type Violation } from './history.js';
import type { JudgeServer } from './judge-server-process.js';
import { LeaderEpochs } from './leader-epochs.js';
import type { People } from './race/people.js';
import type { Cluster } from './real-parts.js';
import { dumpTopic } from './second-reader.js';
import type { Headers } from './post.js';
import { judgeConversed } from './system/conversed.js';
import { SystemCheck } from './system/system-check.js';
import { systemLedger } from './system/system-ledger.js';
import type { SystemLoad } from './system/system-load.js';
import { TwoReadings, foldsDiffer } from './two-readings.js';
import { wellAgain } from './well-again.js';
import type { Pause } from './zombies/judgement.js';

const counts = partitionCounts('cluster');
const CAUGHT_UP_MS = 120_000;
const ALL_OVER_MS = 60_000;

/** What a cluster is judged by beside its log and its ledger. */
export interface ClusterEvidence {
  readonly load: SystemLoad;
  readonly people: People;
  readonly judge: JudgeServer;
  readonly pauses: readonly Pause[];
}

interface Judged {
  readonly records: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: Violation[];
}

/** Judges a whole cluster when every fault is over. Its hosts are gone afterwards: the log has to stand still. */
export async function judgeCluster(cluster: Cluster, evidence: ClusterEvidence, say: (line: string) => void): Promise<Judged> {
  const { turns, calls, race } = evidence.load;
  const { headers } = evidence.people.auditor;
  const violations: Violation[] = [];
  for (const { name } of [...cluster.hosts, ...cluster.projectors])
    await wellAgain(cluster, name).catch((error: Error) => violations.push({ rule: 'K15', what: `at the end ${name}: ${error.message}` }));
  const { continued, violations: refused } = await continueEverywhere(cluster.hosts, turns);
  violations.push(...refused);
  say(`each host went on with ${turns.sessions.size} sessions`);
  violations.push(...(await ledgersAgree(cluster.projectors, continued, headers)));
  violations.push(...(await judgeConversed(cluster.hosts[0]!.url, turns)));
  await inLedger(cluster, everyRunOver);
  for (const { name } of cluster.hosts) await cluster.kill(name).catch(() => {});
  violations.push(...(await caughtUp(cluster, headers)));
  const ledger = await inLedger(cluster, systemLedger);
  const check = new HistoryCheck();
  const system = new SystemCheck({
    ...{ ledger, received: evidence.judge.received(), heard: race.heard, noted: calls.noted, pauses: evidence.pauses },
    census: await lifeChecks(cluster.projectors[0]!.url, headers),
  });
  const log = await openKafkaLog({ brokers: cluster.kafka.bootstrap, clientId: 'faults', topics: counts, dev: true });
  try {
    violations.push(...(await readTwice(log, cluster, check, system)));
    say(`${check.records} records read by two readers`);
    const outside = { acknowledged: turns.acknowledged, ledgerTurns: ledger.turns, isRecordedBeforeReply: true };
    violations.push(...check.judge(outside), ...system.judge(), ...(await digests(log, cluster, say)));
    return { records: check.records, figures: system.figures(), violations };
  } finally {
    await log.close();
  }
}

/** Resolves when no run stands or waits any more, or after a lease and two sweeps: what stands then is a fault that the judgement tells. */
async function everyRunOver({ db }: Pick<LedgerStore, 'db'>): Promise<void> {
  for (const end = Date.now() + ALL_OVER_MS; Date.now() < end; await sleep(200))
    if (!(await db.selectFrom('open_run').select('run_id').limit(1).executeTakeFirst())) return;
}

/** Waits until every projector has the whole log. */
async function caughtUp({ projectors }: Cluster, headers: Headers): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { name, url } of projectors) {
    let lag: number | undefined;
    for (const end = Date.now() + CAUGHT_UP_MS; lag !== 0 && Date.now() < end; await sleep(200))
      lag = await fetch(`${url}/v1/log`, { headers, signal: AbortSignal.timeout(10_000) })
        .then(async (answer) => ((await answer.json()) as { lag?: number }).lag)
        .catch(() => undefined);
    if (lag !== 0) violations.push({ rule: 'X0', what: `${name} has not caught up: ${lag ?? 'no'} records are missing` });
  }
  return violations;
}

/** The log by the own reader and by Kafka's Java client: the same records, and by two folds the same turns. */
async function readTwice(log: EventLog, { kafka }: Cluster, check: HistoryCheck, system: SystemCheck): Promise<Violation[]> {
  const readings = new TwoReadings();
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
      system.see(record);
    }
  }
  return [...readings.judge(), ...foldsDiffer(check.turns, system.fold.turns)];
}

async function inLedger<T>({ postgres }: Cluster, read: (store: Pick<LedgerStore, 'db'>) => Promise<T>): Promise<T> {
  const generations = await PostgresGenerations.open({ url: postgres.url() });
  const { store } = await generations.openLiveReader();
  try {
    return await read(store);
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
