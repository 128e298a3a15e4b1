import type { CensusCheck, LifeCheck } from '@doorledger/ledger';
import { rounded, type CaseReport, type Say } from './case-report.js';
import type { KilledHost } from './census-kill-host.js';
import { loadUntil } from './census-kill-load.js';
import type { Violation } from './history.js';
import type { LifeOnLog } from './places-on-log.js';
import { seeded } from './seeded.js';

export interface CensusKills {
  readonly host: KilledHost;
  readonly cycles: number;
  readonly seed: number;
  readonly say?: Say;
}

const IN_FLIGHT = 500;
const FEWEST_ANSWERS = 300;
const MORE_ANSWERS = 1500;

/**
 * kill -9 of a host with 500 requests in flight, served and refused ones, until `cycles` or the first fault. After each restart the
 * census of every life adds up, and what it calls unknown is what an own reader finds missing on the log (E11, E12).
 */
export async function censusKills({ host, cycles, seed, say = () => {} }: CensusKills): Promise<CaseReport> {
  const random = seeded(seed);
  let answers = 0;
  let lives: readonly LifeOnLog[] = [];
  let violations: Violation[] = [];
  let kills = 0;
  const told = () => ({ kills, answers, unknown: lives.reduce((sum, { missing }) => sum + missing.length, 0) });
  try {
    let url = await host.start();
    while (kills < cycles && violations.length === 0) {
      const wanted = FEWEST_ANSWERS + random() * MORE_ANSWERS;
      answers += await loadUntil({ url, clients: IN_FLIGHT }, wanted, () => host.kill());
      url = await host.start();
      kills++;
      lives = await host.livesOnLog();
      violations = judgeLives(lives, await lifeChecks(host.apiUrl()), kills);
      if (kills % 10 === 0) say(JSON.stringify(told()));
    }
  } finally {
    await host.close();
  }
  return { figures: rounded(told()), violations };
}

/** Every page of `/v1/census/check`. */
async function lifeChecks(url: string): Promise<LifeCheck[]> {
  const checks: LifeCheck[] = [];
  let cursor: string | undefined;
  do {
    const answer = await fetch(`${url}/v1/census/check${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`);
    if (answer.status !== 200) throw new Error(`/v1/census/check answered ${answer.status}: ${await answer.text()}`);
    const page = (await answer.json()) as CensusCheck;
    checks.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return checks;
}

/** Holds what the ledger says of lives that are over against what the log says; `over` of them have to be there. */
export function judgeLives(lives: readonly LifeOnLog[], checks: readonly LifeCheck[], over: number): Violation[] {
  const violations: Violation[] = [];
  const ended = checks.filter(({ state }) => state !== 'running');
  if (ended.length !== over) violations.push({ rule: 'E11', what: `${over} lives are over, and the census knows ${ended.length} such` });
  for (const check of ended) {
    const { bootId, issued, recorded, counted, unknown, pending, doubled, addsUp } = check;
    const life = lives.find((one) => one.bootId === bootId);
    const said = [issued, recorded, counted, unknown, pending, doubled];
    const found = life ? [life.issued, life.recorded, life.counted, life.missing.length, 0, 0] : [];
    if (said.join() !== found.join())
      violations.push({ rule: 'E12', what: `boot ${bootId}: the census says ${said.join(', ')} and the log ${found.join(', ')}` });
    if (!addsUp || recorded + counted + unknown !== issued)
      violations.push({ rule: 'E12', what: `boot ${bootId} does not add up: ${said.join(', ')}` });
    if (life && life.doubled.length + life.overlapping.length + life.miscounted > 0)
      violations.push({ rule: 'E11', what: `boot ${bootId} has places that were told twice or counted wrongly` });
  }
  return violations;
}
