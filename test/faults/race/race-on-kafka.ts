import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts } from '@doorledger/contracts';
import { openKafkaLog } from '@doorledger/event-log/kafka';
import { PostgresGenerations } from '@doorledger/ledger/postgres';
import type { CaseReport, Say } from '../case-report.js';
import { planFaults, type FaultKind } from '../fault-plan.js';
import { Faults } from '../faults.js';
import { startJudge } from '../judge-server-process.js';
import { realCluster, type ClusterOptions } from '../real-parts.js';
import { seeded } from '../seeded.js';
import { caughtUp } from '../zombies/ledger-calls.js';
import { LiveFold } from '../zombies/live-fold.js';
import { wordsIn } from '../zombies/words.js';
import { ledgerRows } from './ledger-rows.js';
import { startPeople } from './people.js';
import { RaceLoad } from './race-load.js';
import { raceReport } from './race-report.js';
import { raceSettings } from './race-settings.js';

export interface KafkaRace extends Pick<ClusterOptions, 'brokers' | 'hosts' | 'projectors'> {
  /** An empty folder. */
  readonly dir: string;
  readonly consents: number;
  readonly seed: number;
  readonly lanes?: number;
  /** No call is asked for, and no fault begins, after so many ms. */
  readonly maxMs?: number;
  /** No fault is longer. */
  readonly longestMs?: number;
  readonly say?: Say;
}

const raceKinds: readonly FaultKind[] = ['host-kill', 'host-pause', 'broker-kill', 'broker-pause'];
/** A run that nobody holds any more is over by then, and a request whose host was lost is free again. */
const ALL_OVER_MS = 60_000;

/** People race to decide on calls through the hosts of a real cluster while hosts and brokers are killed and stopped. */
export async function raceOnKafka({ dir, consents, seed, lanes = 40, maxMs = Infinity, longestMs, say = () => {}, ...parts }: KafkaRace) {
  const judge = await startJudge(join(dir, 'received'));
  const people = await startPeople({ key: randomBytes(32).toString('hex'), parties: 20, approvers: 8 });
  const cluster = await realCluster({ ...parts, settings: raceSettings(judge.url, people), say: wordsIn(dir) }).catch(
    async (error: unknown) => {
      await Promise.all([judge.stop(), people.close()]);
      throw error;
    },
  );
  const log = await openKafkaLog({ brokers: cluster.kafka.bootstrap, clientId: 'race', topics: partitionCounts('cluster'), dev: true });
  const live = new LiveFold(log);
  try {
    const stop = maxMs === Infinity ? new AbortController().signal : AbortSignal.timeout(maxMs);
    const urls = () => cluster.hosts.map(({ url }) => url);
    const load = new RaceLoad({ urls, people, lanes, consents, random: seeded(seed + 1), stop });
    const faults = new Faults(cluster, (line) => say(`${line}; ${load.asked} asked for`));
    let isDone = false;
    const done = load.done().then(() => (isDone = true));
    const plan = planFaults({ random: seeded(seed), kinds: raceKinds, longestMs });
    while (!isDone && !stop.aborted) {
      const fault = plan.next().value;
      await Promise.race([done, sleep(fault.calmMs)]);
      if (!isDone && !stop.aborted) await faults.next({ ...fault, overlaps: false });
    }
    await done;
    await faults.settled();
    await live.allOver(ALL_OVER_MS);
    await caughtUp(cluster.projectors[0]!.url, people.auditor.headers);
    const rows = await rowsIn(cluster.postgres.url());
    const evidence = { fold: live.fold, received: judge.received(), ...rows, pauses: faults.pauses };
    const report = raceReport(evidence, load, faults.counts);
    return { ...report, violations: [...faults.violations, ...report.violations] } satisfies CaseReport;
  } finally {
    await live.close();
    await log.close();
    await cluster.stop();
    await Promise.all([judge.stop(), people.close()]);
  }
}

async function rowsIn(url: string): ReturnType<typeof ledgerRows> {
  const generations = await PostgresGenerations.open({ url });
  const { store } = await generations.openLiveReader();
  try {
    return await ledgerRows(store);
  } finally {
    await store.close();
    await generations.close();
  }
}
