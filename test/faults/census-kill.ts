import type { CensusCheck, LifeCheck } from '@doorledger/ledger';
import { rounded, type CaseReport, type Say } from './case-report.js';
import type { KilledHost } from './census-kill-host.js';
import { loadUntil } from './census-kill-load.js';
import type { Violation } from './history.js';
import type { LifeOnLog } from './places-on-log.js';
import type { Headers } from './post.js';
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
export async function lifeChecks(url: string, headers: Headers = {}): Promise<LifeCheck[]> {
  const checks: LifeCheck[] = [];
  let cursor: string | undefined;
  do {
    const answer = await fetch(`${url}/v1/census/check${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`, { headers });
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
  for (const check of ended)
    violations.push(
      ...judgeLife(
        check,
        lives.find(({ bootId }) => bootId === check.bootId),
      ),
    );
  return violations;
}

/** Holds what the ledger says of one life against what the log says of it. What a life that is not over has not written is pending. */
export function judgeLife(check: LifeCheck, life: LifeOnLog | undefined): Violation[] {
  const violations: Violation[] = [];
  const { bootId, state, issued, recorded, counted, unknown, pending, doubled, addsUp } = check;
  const said = [issued, recorded, counted, unknown, pending, doubled];
  const missing = life?.missing.length ?? 0;
  const gap = state === 'running' ? [0, missing] : [missing, 0];
  const found = life ? [life.issued, life.recorded, life.counted, ...gap, 0] : [];
  if (said.join() !== found.join())
    violations.push({ rule: 'E12', what: `boot ${bootId}: the census says ${said.join(', ')} and the log ${found.join(', ')}` });
  if (!addsUp || recorded + counted + unknown + pending !== issued)
    violations.push({ rule: 'E12', what: `boot ${bootId} does not add up: ${said.join(', ')}` });
  if (life && life.doubled.length + life.overlapping.length + life.miscounted > 0)
    violations.push({ rule: 'E11', what: `boot ${bootId} has places that were told twice or counted wrongly` });
  return violations;
}
