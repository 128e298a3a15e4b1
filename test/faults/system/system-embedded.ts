import { randomBytes } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog, verifySqliteLog } from '@doorledger/event-log';
import { LedgerGenerations, replay, type LifeCheck } from '@doorledger/ledger';
import { rounded, type CaseReport, type Say } from '../case-report.js';
import { lifeChecks } from '../census-kill.js';
import { HistoryCheck, type Violation } from '../history.js';
import { startJudge } from '../judge-server-process.js';
import { startPeople } from '../race/people.js';
import { raceSettings } from '../race/race-settings.js';
import { inCheckout, smallDisk } from '../real-parts.js';
import { seeded } from '../seeded.js';
import { serve, type Served } from '../served-process.js';
import { readiness } from '../well-again.js';
import { caughtUp } from '../zombies/ledger-calls.js';
import { judgeConversed } from './conversed.js';
import { SystemCheck, type SystemEvidence } from './system-check.js';
import { systemLedger } from './system-ledger.js';
import { SystemLoad } from './system-load.js';

export interface EmbeddedSystem {
  /** An empty folder. */
  readonly dir: string;
  readonly cycles: number;
  readonly seed: number;
  /** No fault begins after so many ms. */
  readonly maxMs?: number;
  readonly say?: Say;
}

const DISK_MB = 256;
const FULL_MS = 30_000;
const CLOCK_JUMPS = [3_600_000, -3_600_000, 31_000, -31_000] as const;
const counts = partitionCounts('embedded');

/** The one process is killed, its disk is full and its clock is set, again and again under a load of everything; then all is judged. */
export async function systemEmbedded({ dir, cycles, seed, maxMs = Infinity, say = () => {} }: EmbeddedSystem): Promise<CaseReport> {
  const random = seeded(seed);
  const judge = await startJudge(join(dir, 'received'));
  const people = await startPeople({ key: randomBytes(32).toString('hex'), parties: 8, approvers: 5 });
  const disk = await smallDisk(join(dir, 'disk'), DISK_MB);
  const clock = join(dir, 'clock');
  writeFileSync(clock, '0');
  const settings = {
    ...raceSettings(judge.url, people),
    NODE_OPTIONS: `--import=${inCheckout('test/cluster/shifted-clock.mjs')}`,
    CLOCK_SHIFT_FILE: clock,
  };
  const folder = join(dir, 'disk/data');
  const data = join(disk.outside, 'data');
  const start = (port = '0') => serve(folder, { ...settings, DOORLEDGER_PORT: port }, { enter: disk.enter, seen: data });
  const violations: Violation[] = [];
  const figures: Record<string, number> = { kills: 0, 'full disks': 0, 'clock jumps': 0 };
  try {
    let served = await start();
    const { url } = served;
    const load = new SystemLoad({ urls: [url], people, random: seeded(seed + 1), clientsPerHost: 6, callers: 4, lanes: 8 });
    const endAt = Date.now() + maxMs;
    for (let done = 0; done < cycles && Date.now() < endAt; done++) {
      await sleep(300 + random() * 1500);
      const which = random();
      if (which < 0.6) {
        figures.kills!++;
        await served.kill();
        served = await start(new URL(url).port);
      } else if (which < 0.8) {
        figures['full disks']!++;
        disk.fill();
        await untilReadiness(url, 503);
        disk.free();
        if (!(await untilReadiness(url, 200))) violations.push({ rule: 'K15', what: 'not ready again after the disk was full' });
      } else {
        figures['clock jumps']!++;
        writeFileSync(clock, String(CLOCK_JUMPS[Math.floor(random() * CLOCK_JUMPS.length)]));
        await sleep(200 + random() * 1500);
        writeFileSync(clock, '0');
      }
      if ((done + 1) % 10 === 0) say(`${JSON.stringify(figures)}, ${load.turns.acknowledged.length} turns acknowledged`);
    }
    await load.stop();
    say(`${load.turns.acknowledged.length} turns acknowledged, ${load.race.asked} approvals asked for; judging`);
    violations.push(...load.violations, ...(await judgeConversed(url, load.turns)));
    await served.stop();
    // What stood when it ended is ended by the next start (L13), and nothing is asked of that one.
    served = await start();
    const census = await censusOf(served, people.auditor.headers);
    await served.stop();
    const outside = { received: judge.received(), heard: load.race.heard, noted: load.calls.noted, pauses: [], census };
    // SQLite finds no file by the way that leads into another mount namespace.
    cpSync(data, folder, { recursive: true });
    const judged = await judgeEmbedded(folder, outside, load);
    return {
      figures: rounded({ ...figures, acknowledged: load.turns.acknowledged.length, ...judged.figures }),
      answers: load.answers,
      violations: [...violations, ...judged.violations],
    };
  } finally {
    disk.remove();
    await Promise.all([judge.stop(), people.close()]);
  }
}

async function untilReadiness(url: string, status: number): Promise<boolean> {
  for (const end = Date.now() + FULL_MS; Date.now() < end; await sleep(50)) if ((await readiness(url)).status === status) return true;
  return false;
}

async function censusOf({ url }: Served, headers: Readonly<Record<string, string>>): Promise<LifeCheck[]> {
  await caughtUp(url, headers);
  return lifeChecks(url, headers);
}

async function judgeEmbedded(
  dir: string,
  outside: Omit<SystemEvidence, 'ledger'>,
  load: SystemLoad,
): Promise<Pick<CaseReport, 'figures' | 'violations'>> {
  const violations: Violation[] = [];
  await verifySqliteLog(dir).catch((error: Error) => void violations.push({ rule: 'K6', what: error.message }));
  const log = await openSqliteLog({ dir, role: 'reader', topics: counts });
  try {
    const generations = new LedgerGenerations(dir);
    const { store } = generations.openLiveReader();
    const ledger = await systemLedger(store).finally(() => store.close());
    const [check, system] = [new HistoryCheck(), new SystemCheck({ ...outside, ledger })];
    for (const [topic, partitions] of counts)
      for await (const { records } of log.read(topic, new Array<number>(partitions).fill(0)))
        for (const record of records) {
          const { partition, offset, timestamp, epoch, key, headers, value } = record;
          check.see(record);
          system.see({ topic, partition, offset, timestamp, epoch, key, headers, value: Buffer.from(value ?? []).toString('utf8') });
        }
    const { acknowledged } = load.turns;
    violations.push(...check.judge({ acknowledged, ledgerTurns: ledger.turns, isRecordedBeforeReply: true }), ...system.judge());
    const { isEqual, rebuilt } = await replay({ log, generations });
    if (!isEqual) violations.push({ rule: 'X0', what: 'the live ledger and a replay of the log have different digests' });
    generations.discard(rebuilt.generation);
    return { figures: { records: check.records, ...system.figures() }, violations };
  } finally {
    await log.close();
  }
}
