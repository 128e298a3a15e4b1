import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddedFaults } from './embedded.js';

const usage = `Kills doorledger again and again under load and judges what is left. Exit 1 when a promise was broken.

  npm run faults                          200 kills of the embedded system
  npm run faults -- --cycles 20 --seed 7  the same faults again for the same seed
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { cycles: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' }, help: { type: 'boolean' } },
  });
  const [cycles, seed] = [Number(values.cycles), Number(values.seed)];
  if (values.help || !Number.isInteger(cycles) || cycles < 1 || !Number.isInteger(seed)) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-faults-'));
  const report = await embeddedFaults({ dir, cycles, seed, say: (line) => process.stderr.write(`  ${line}\n`) });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.violations.length === 0) rmSync(dir, { recursive: true, force: true });
  else process.stderr.write(`The data folder is kept: ${dir}\n`);
  return report.violations.length === 0 ? 0 : 1;
}

process.exitCode = await main();
