import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { LedgerGenerations } from '@doorledger/ledger';
import type { CaseReport, Say } from '../case-report.js';
import { startJudge } from '../judge-server-process.js';
import { seeded } from '../seeded.js';
import { serve } from '../served-process.js';
import { foldAll } from '../zombies/live-fold.js';
import { ledgerRows } from './ledger-rows.js';
import { startPeople } from './people.js';
import { RaceLoad } from './race-load.js';
import { raceReport, type RaceEvidence } from './race-report.js';
import { raceSettings } from './race-settings.js';

export interface EmbeddedRace {
  /** An empty folder. */
  readonly dir: string;
  /** How often the process is killed. */
  readonly cycles: number;
  readonly seed: number;
  /** No kill after so many ms. */
  readonly maxMs?: number;
  readonly say?: Say;
}

const LANES = 24;

/** People race to decide on calls while the one process is killed and started again and again. */
export async function raceEmbedded({ dir, cycles, seed, maxMs = Infinity, say = () => {} }: EmbeddedRace): Promise<CaseReport> {
  const judge = await startJudge(join(dir, 'received'));
  const people = await startPeople({ key: randomBytes(32).toString('hex'), parties: 8, approvers: 8 });
  const data = join(dir, 'data');
  const random = seeded(seed);
  const start = () => serve(data, raceSettings(judge.url, people));
  const stop = new AbortController();
  try {
    let served = await start();
    const urls = () => [served.url];
    const load = new RaceLoad({ urls, people, lanes: LANES, consents: Infinity, random, stop: stop.signal });
    let kills = 0;
    for (const end = Date.now() + maxMs; kills < cycles && Date.now() < end; kills++) {
      await sleep(200 + random() * 1500);
      await served.kill();
      served = await start();
      if ((kills + 1) % 10 === 0)
        say(
          `${kills + 1} kills, last start ${Math.round(served.readyMs)} ms, ${load.asked} calls asked for, ${judge.received().length} received`,
        );
    }
    stop.abort();
    await load.done();
    await served.stop();
    return raceReport(await evidenceIn(data, judge.received()), load, { kills });
  } finally {
    await Promise.all([judge.stop(), people.close()]);
  }
}

async function evidenceIn(dir: string, received: RaceEvidence['received']): Promise<RaceEvidence> {
  const log = await openSqliteLog({ dir, role: 'reader', topics: partitionCounts('embedded') });
  const { store } = new LedgerGenerations(dir).openLiveReader();
  try {
    return { fold: await foldAll(log), received, ...(await ledgerRows(store)), pauses: [] };
  } finally {
    await store.close();
    await log.close();
  }
}
