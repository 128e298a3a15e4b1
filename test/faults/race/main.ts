import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CaseReport } from '../case-report.js';
import { isKafkaThere } from '../real-parts.js';
import { raceEmbedded } from './race-embedded.js';
import { raceOnKafka } from './race-on-kafka.js';
import { raceSpends } from './spend/spend-race.js';

const usage = `Has people race to decide on the same calls while doorledger is hurt, and judges what ran. Exit 1 when a promise was broken.

  npm run race                              5 000 consents on a cluster of this machine; hosts and brokers are killed and stopped
  npm run race -- --consents 500 --seed 7   fewer, and the same faults again for the same seed
  npm run race -- --on embedded             the embedded system, killed 500 times
  npm run race -- --on embedded --cycles 20
  npm run race -- --spend                   two processes resume the same 1 000 approvals at once and share nothing but the adapter of a ledger
  npm run race -- --spend --on embedded     the same with one host on the embedded system
`;

const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

type Asked =
  | { readonly race: 'decisions'; readonly on: 'kafka'; readonly consents: number; readonly seed: number }
  | { readonly race: 'decisions'; readonly on: 'embedded'; readonly cycles: number; readonly seed: number }
  | { readonly race: 'spends'; readonly on: 'kafka' | 'embedded'; readonly approvals: number };

/** Which options a race has, each with what it is by default. */
const optionsOf = {
  'decisions kafka': { consents: '5000', seed: '1' },
  'decisions embedded': { cycles: '500', seed: '1' },
  'spends kafka': { approvals: '1000' },
  'spends embedded': { approvals: '1000' },
} as const;

/** Undefined for what is no command of these. */
function read(args: string[]): Asked | undefined {
  const text = { type: 'string' } as const;
  try {
    const options = { spend: { type: 'boolean' }, on: text, consents: text, cycles: text, seed: text, approvals: text } as const;
    const { spend = false, on = 'kafka', ...given } = parseArgs({ args, options }).values;
    const race = spend ? 'spends' : 'decisions';
    const defaults: Readonly<Record<string, string>> | undefined = optionsOf[`${race} ${on}` as keyof typeof optionsOf];
    if (!defaults || !Object.keys(given).every((name) => name in defaults)) return undefined;
    const numbers = Object.entries({ ...defaults, ...given });
    if (!numbers.every(([name, count]) => (name === 'seed' ? /^\d+$/ : /^[1-9]\d*$/).test(count))) return undefined;
    return { race, on, ...Object.fromEntries(numbers.map(([name, count]) => [name, Number(count)])) } as Asked;
  } catch {
    return undefined;
  }
}

function run(asked: Asked, dir: string): Promise<CaseReport> {
  if (asked.race === 'spends') return raceSpends({ ...asked, dir });
  return asked.on === 'kafka' ? raceOnKafka({ ...asked, dir, say }) : raceEmbedded({ ...asked, dir, say });
}

async function main(args: string[]): Promise<number> {
  const asked = read(args);
  if (!asked) {
    process.stderr.write(usage);
    return args.includes('--help') ? 0 : 2;
  }
  if (asked.on === 'kafka' && !isKafkaThere()) {
    process.stderr.write('There is no Kafka here: run "node scripts/setup.mjs kafka" first. It needs java and mvn.\n');
    return 2;
  }
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-race-'));
  const report = await run(asked, dir);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.violations.length === 0) rmSync(dir, { recursive: true, force: true });
  else process.stderr.write(`What is left of it is kept: ${dir}\n`);
  return report.violations.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
