import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isKafkaThere } from '../faults/real-parts.js';
import { raceEmbedded } from './race-embedded.js';
import { raceOnKafka } from './race-on-kafka.js';

const usage = `Has people race to decide on the same calls while doorledger is hurt, and judges what ran. Exit 1 when a promise was broken.

  npm run race                              5 000 consents on a cluster of this machine; hosts and brokers are killed and stopped
  npm run race -- --consents 500 --seed 7   fewer, and the same faults again for the same seed
  npm run race -- --on embedded             the embedded system, killed 500 times
  npm run race -- --on embedded --cycles 20
`;

const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

interface Asked {
  readonly on: 'kafka' | 'embedded';
  readonly consents: number;
  readonly cycles: number;
  readonly seed: number;
}

/** Undefined for what is no command of these. */
function read(args: string[]): Asked | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({ args, options: { on: text, consents: text, cycles: text, seed: text } });
    const { on = 'kafka', consents = '5000', cycles = '500', seed = '1' } = values;
    const isFitting = on === 'kafka' ? values.cycles === undefined : on === 'embedded' && values.consents === undefined;
    if (!isFitting || ![consents, cycles].every((count) => /^[1-9]\d*$/.test(count)) || !/^\d+$/.test(seed)) return undefined;
    return { on: on as Asked['on'], consents: +consents, cycles: +cycles, seed: +seed };
  } catch {
    return undefined;
  }
}

async function main(args: string[]): Promise<number> {
  const asked = read(args);
  if (!asked) {
    process.stderr.write(usage);
    return args.includes('--help') ? 0 : 2;
  }
  const { on, ...options } = asked;
  if (on === 'kafka' && !isKafkaThere()) {
    process.stderr.write('There is no Kafka here: run "node scripts/setup.mjs kafka" first. It needs java and mvn.\n');
    return 2;
  }
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-race-'));
  const report = await (on === 'kafka' ? raceOnKafka : raceEmbedded)({ dir, ...options, say });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.violations.length === 0) rmSync(dir, { recursive: true, force: true });
  else process.stderr.write(`What is left of it is kept: ${dir}\n`);
  return report.violations.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
