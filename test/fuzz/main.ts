import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.js';

const usage = `Sends odd requests and frames to a host of its own and judges every answer. Exit 1 when a promise was broken.

  npm run fuzz                                  200 000 of them
  npm run fuzz -- --requests 20000 --seed 7     the same ones again for the same seed
`;

/** Undefined for what is no command of these. */
function read(args: string[]): { readonly requests: number; readonly seed: number } | undefined {
  try {
    const { values } = parseArgs({ args, options: { requests: { type: 'string' }, seed: { type: 'string' } } });
    const { requests = '200000', seed = '1' } = values;
    return /^[1-9]\d*$/.test(requests) && /^\d+$/.test(seed) ? { requests: +requests, seed: +seed } : undefined;
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
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-fuzz-'));
  const report = await fuzz({ dir, ...asked, say: (line) => void process.stderr.write(`  ${line}\n`) });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.violations.length === 0) rmSync(dir, { recursive: true, force: true });
  else process.stderr.write(`What is left of it is kept: ${dir}\n`);
  return report.violations.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
