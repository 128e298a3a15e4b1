import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cases, mayRun, type Where } from './cases.js';
import { clusterFaults } from './cluster.js';
import { embeddedFaults } from './embedded.js';
import { shapes, type FaultKind } from './fault-plan.js';
import type { Violation } from './history.js';
import { isKafkaThere } from './real-parts.js';

const usage = `Hurts doorledger again and again under load and judges what is left. Exit 1 when a promise was broken.

  npm run faults                             200 times kill -9 of the embedded system
  npm run faults -- --cycles 20 --seed 7     the same faults again for the same seed
  npm run faults -- --on kafka               100 faults of brokers, hosts, projectors and PostgreSQL of a cluster on this machine, under a load of everything
  npm run faults -- --on kafka --kinds A,B   these only: ${shapes.map(({ kind }) => kind).join(', ')}
  npm run faults -- --on kafka --enqueue     requests on a busy session queue instead of being refused
  npm run faults -- --on kafka --case NAME   one special case; without --on kafka where it is said:
${Object.entries(cases)
  .map(([name, { about }]) => `    ${name.padEnd(14)} ${about}\n`)
  .join('')}`;

type Report = { readonly violations: readonly Violation[] };

const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

/** A folder that stays where something was found. */
async function inFolder(run: (dir: string) => Promise<Report>): Promise<Report> {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-faults-'));
  const report = await run(dir);
  if (report.violations.length === 0) rmSync(dir, { recursive: true, force: true });
  else process.stderr.write(`What is left of it is kept: ${dir}\n`);
  return report;
}

const embedded = ({ cycles, seed }: Asked): Promise<Report> => inFolder((dir) => embeddedFaults({ dir, cycles, seed, say }));

const cluster = ({ cycles, seed, kinds, isQueueing }: Asked): Promise<Report> =>
  inFolder((dir) => clusterFaults({ dir, cycles, seed, kinds, settings: isQueueing ? { DOORLEDGER_CONCURRENCY: 'enqueue' } : {}, say }));

interface Asked {
  readonly on: Where;
  readonly cycles: number;
  readonly seed: number;
  readonly kinds?: readonly FaultKind[];
  readonly isQueueing: boolean;
  readonly name?: string;
}

/** Undefined for what is no command of these. */
function read(args: string[]): Asked | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args,
      options: { on: text, cycles: text, seed: text, kinds: text, enqueue: { type: 'boolean' }, case: text },
    });
    const { on = 'embedded', cycles = on === 'kafka' ? '100' : '200', seed = '1', case: name } = values;
    const kinds = values.kinds?.split(',') as FaultKind[] | undefined;
    const isQueueing = values.enqueue === true;
    const isOnKafka = on === 'kafka' && (name === undefined || mayRun(name, on));
    const isEmbedded = on === 'embedded' && (name === undefined || mayRun(name, on)) && kinds === undefined && !isQueueing;
    const areKinds = kinds?.every((kind) => shapes.some((shape) => shape.kind === kind)) ?? true;
    if (!(isOnKafka || isEmbedded) || !areKinds || !/^[1-9]\d*$/.test(cycles) || !/^\d+$/.test(seed)) return undefined;
    return { on, cycles: +cycles, seed: +seed, kinds, isQueueing, name };
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
  const { on, name, cycles, seed } = asked;
  if (on === 'kafka' && !isKafkaThere()) {
    process.stderr.write('There is no Kafka here: run "node scripts/setup.mjs kafka" first. It needs java and mvn.\n');
    return 2;
  }
  const report = await (name !== undefined
    ? inFolder((dir) => cases[name]!.run({ on, cycles, seed, dir, say }))
    : (on === 'kafka' ? cluster : embedded)(asked));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return report.violations.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
