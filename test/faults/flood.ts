import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts, topics, type FactData } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { rounded, type CaseReport, type Say } from './case-report.js';
import { startIssuer } from './flood-issuer.js';
import { floodFor, turnsWhile, type Answers } from './flood-load.js';
import type { Violation } from './history.js';
import { PlacesOnLog } from './places-on-log.js';
import { rssMb, serve, type Served } from './served-process.js';

export interface FloodOptions {
  /** An empty folder. */
  readonly dir: string;
  /** How long the flood lasts; before and after it the turns are measured without it. */
  readonly seconds: number;
  readonly say?: Say;
}

/** Long enough for the collector to have been round: until then memory grows whatever is held. */
const WARM_UP = 15;
const SAMPLE_MS = 1000;
const LEAST_RATIO = 0.7;
const MOST_GROWTH_MB = 30;

/** A thousand refusals a second beside served turns: how much of their rate is left, how memory grows, and whether every count is exact. */
export async function flood({ dir, seconds, say = () => {} }: FloodOptions): Promise<CaseReport> {
  const issuer = await startIssuer();
  const token = await issuer.token('somebody', 3600);
  const served = await serve(dir, { ...issuer.settings });
  const refused: Answers = new Map();
  const turns: Answers = new Map();
  const { url } = served;
  const measure = (until: Promise<unknown>) => turnsWhile(url, token, until, turns);
  const underFlood = (length: number) => measure(floodFor(url, length, refused));
  await underFlood(Math.min(WARM_UP, Math.ceil(seconds / 2)));
  const before = await measure(sleep(seconds * 500));
  const memory = watchMemory(served);
  const during = await underFlood(seconds);
  const rss = memory.stop();
  const after = await measure(sleep(seconds * 500));
  say(`turns/s before, during and after: ${[before, during, after].map((rate) => rate.toFixed(0)).join(', ')}`);
  const code = await served.stop();
  await issuer.close();
  const violations: Violation[] = code === 0 ? [] : [{ rule: 'R2', what: `the process ended with ${code}` }];
  violations.push(...(await judge(dir, refused, turns)));
  const figures = { 'turns/s alone': (before + after) / 2, 'turns/s under flood': during, ratio: (2 * during) / (before + after), ...rss };
  return { figures: rounded(figures), answers: Object.fromEntries([...refused, ...turns]), violations };
}

/** The report of a flood with what went past the bounds; on a machine that does other work as well it says nothing. */
export function withinBounds(report: CaseReport): CaseReport {
  const { ratio = 0, 'MB grown': grown = Infinity } = report.figures;
  const violations = [...report.violations];
  if (ratio < LEAST_RATIO) violations.push({ rule: 'E8', what: `served turns keep ${ratio} of their rate under the flood` });
  if (grown > MOST_GROWTH_MB) violations.push({ rule: 'E6', what: `the process grew by ${grown} MB under the flood` });
  return { ...report, violations };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Samples the process's memory; growth is between the means of the first and the last third. */
function watchMemory({ pid }: Served): { stop(): Record<'MB at first' | 'MB grown', number> } {
  const samples = [rssMb(pid)];
  const timer = setInterval(() => samples.push(rssMb(pid)), SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      const third = Math.ceil(samples.length / 3);
      const first = mean(samples.slice(0, third));
      return { 'MB at first': first, 'MB grown': mean(samples.slice(-third)) - first };
    },
  };
}

/** E6, E12: every answer has its place, and refusals and turns are told of by as many places as there were answers. */
async function judge(dir: string, refused: Answers, turns: Answers): Promise<Violation[]> {
  const counts = partitionCounts('embedded');
  const log = await openSqliteLog({ dir, role: 'reader', topics: counts });
  const places = new PlacesOnLog();
  const told = { refused: 0, served: 0 };
  for (const { name } of [topics.ingress, topics.system])
    for await (const { records } of log.read(name, Array<number>(counts.get(name)!).fill(0)))
      for (const record of records) {
        places.see(record);
        const { type, body } = record.decoded;
        if (type === 'ingress.recorded') {
          const { outcome } = body!.data as FactData<'ingress.recorded'>;
          if (outcome === 'identity-refused') told.refused++;
          if (outcome === 'served') told.served++;
        } else if (type === 'ingress.counted') {
          const { reason, count } = body!.data as FactData<'ingress.counted'>;
          if (reason.startsWith('identity-refused/')) told.refused += count;
        }
      }
  await log.close();
  const [life] = places.lives();
  const [sentRefused, sentTurns] = [refused, turns].map((answers) => [...answers.values()].reduce((sum, n) => sum + n, 0));
  const said = [refused.get(401), turns.get(200), life?.issued, life && life.recorded + life.counted, told.refused, told.served];
  const sent = [sentRefused, sentTurns, sentRefused! + sentTurns!, sentRefused! + sentTurns!, sentRefused, sentTurns];
  const violations: Violation[] = [];
  if (said.join() !== sent.join())
    violations.push({ rule: 'E12', what: `the log says ${said.join(', ')} where ${sent.join(', ')} were sent` });
  if (life && life.missing.length + life.doubled.length + life.overlapping.length + life.miscounted > 0)
    violations.push({ rule: 'E12', what: 'places are missing, told twice, or counted wrongly' });
  return violations;
}
