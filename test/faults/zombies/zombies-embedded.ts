import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { rounded, type CaseReport, type Say } from '../case-report.js';
import { judgeSettings, startJudge } from '../judge-server-process.js';
import { seeded } from '../seeded.js';
import { serve } from '../served-process.js';
import { CallLoad, neverReceived } from './call-load.js';
import { figuresOf } from './figures.js';
import { judgeCalls, type CallEvidence } from './judgement.js';
import { ledgerCalls } from './ledger-calls.js';
import { foldAll } from './live-fold.js';

export interface EmbeddedZombies {
  /** An empty folder. */
  readonly dir: string;
  readonly cycles: number;
  readonly seed: number;
  /** No cycle begins after so many ms. */
  readonly maxMs?: number;
  readonly say?: Say;
}

const CLIENTS = 16;
const SESSIONS = Array.from({ length: 60 }, (_, i) => `killed-${i}`);

/** kill -9 of the whole process while tool calls are on their way, again and again; then every call is held against the judge's file. */
export async function zombiesEmbedded({ dir, cycles, seed, maxMs = Infinity, say = () => {} }: EmbeddedZombies): Promise<CaseReport> {
  const judge = await startJudge(join(dir, 'received'));
  const data = join(dir, 'data');
  const random = seeded(seed);
  const start = () => serve(data, judgeSettings(judge.url));
  try {
    let served = await start();
    const load = new CallLoad({ urls: () => [served.url], clients: CLIENTS, sessions: () => SESSIONS, random, patienceMs: 10_000 });
    let kills = 0;
    for (const end = Date.now() + maxMs; kills < cycles && Date.now() < end; kills++) {
      await sleep(200 + random() * 1200);
      await served.kill();
      served = await start();
      if ((kills + 1) % 10 === 0) say(`${kills + 1} kills, ${judge.received().length} calls received`);
    }
    await load.stop();
    const calls = await ledgerCalls(served.url);
    await served.stop();
    const log = await openSqliteLog({ dir: data, role: 'reader', topics: partitionCounts('embedded') });
    const evidence: CallEvidence = { fold: await foldAll(log), ledgerCalls: calls, received: judge.received(), pauses: [] };
    await log.close();
    const violations = [...load.violations, ...judgeCalls(evidence), ...neverReceived(load.noted, evidence.received)];
    return { figures: rounded({ kills, asked: load.asked, ...figuresOf(evidence) }), answers: load.heard, violations };
  } finally {
    await judge.stop();
  }
}
