import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Bench, BenchRow } from './row.js';
import { append } from './rows/append.js';
import { claim } from './rows/claim.js';
import { consent } from './rows/consent.js';
import { consentCall } from './rows/consent-call.js';
import { echo } from './rows/echo.js';
import { kafka } from './rows/kafka.js';
import { kafkaHosts } from './rows/kafka-hosts.js';
import { rebuildLive } from './rows/rebuild-live.js';
import { refusal } from './rows/refusal.js';
import { replay } from './rows/replay.js';
import { route } from './rows/route.js';
import { sse } from './rows/sse.js';
import { start } from './rows/start.js';
import { websockets } from './rows/websockets.js';
import { toolSessions } from './tool-sessions/tool-sessions.js';

const benches: readonly Bench[] = [
  append,
  claim,
  replay,
  rebuildLive,
  echo,
  refusal,
  route,
  sse,
  websockets,
  toolSessions,
  consentCall,
  consent,
  start,
  kafka,
  kafkaHosts,
];
const say = (line: string) => process.stderr.write(`  ${line}\n`);

const usage = `Measures doorledger on this machine, as ratios to a baseline of the same run where there is one.

  npm run bench                     everything
  npm run bench -- claim replay     only these: ${benches.map((b) => b.name).join(', ')}
  npm run bench -- --json FILE      also writes the figures to FILE
`;

interface Wanted {
  readonly benches: readonly Bench[];
  readonly file?: string;
}

function wanted(args: readonly string[]): Wanted | undefined {
  const at = args.indexOf('--json');
  const file = at < 0 ? undefined : args[at + 1];
  const names = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const chosen = names.map((name) => benches.find((b) => b.name === name));
  if ((at >= 0 && !file) || chosen.includes(undefined)) return undefined;
  return { benches: names.length > 0 ? (chosen as Bench[]) : benches, file };
}

const number = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

function line({ name, value, unit, baseline, ratio, note }: BenchRow): string {
  const against = baseline ? `${ratio!.toFixed(2)} × ${baseline.name} (${number(baseline.value)})` : '';
  return `${name.padEnd(32)} ${`${number(value)} ${unit}`.padEnd(20)} ${[against, note].filter(Boolean).join('; ')}`.trimEnd();
}

async function main(args: readonly string[]): Promise<number> {
  const asked = wanted(args);
  if (!asked) {
    process.stderr.write(usage);
    return args.includes('--help') ? 0 : 2;
  }
  const rows: BenchRow[] = [];
  for (const bench of asked.benches) {
    process.stderr.write(`${bench.name}: ${bench.about}\n`);
    rows.push(...(await bench.run(say)));
  }
  process.stdout.write(`${rows.map(line).join('\n')}\n`);
  if (asked.file) {
    mkdirSync(dirname(asked.file), { recursive: true });
    const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model, memoryGb: Math.round(totalmem() / 2 ** 30) };
    writeFileSync(asked.file, `${JSON.stringify({ at: new Date().toISOString(), machine, rows }, null, 2)}\n`);
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
