// Every check that needs no running part, two at a time: one line each, and its output only when it fails.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (path) => `node_modules/${path}`;

// The slow ones first, so that the short ones fill the gaps.
const checks = [
  ['lint', bin('eslint/bin/eslint.js'), '.'],
  ['types', bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', '.cache/types.tsbuildinfo'],
  [
    'arrows',
    bin('dependency-cruiser/bin/dependency-cruise.mjs'),
    ...['apps', 'libs', 'bench', '--config', '.dependency-cruiser.js', '--output-type', 'err-long'],
  ],
  ['unused', bin('knip/bin/knip.js')],
  ['format', bin('prettier/bin/prettier.cjs'), '--check', '.', '--cache', '--cache-location', '.cache/prettier'],
  ['rules', '--import', './test/child/register.mjs', 'scripts/spec-rules/main.ts', '--quiet'],
];

function run([name, ...args]) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(7)} ${seconds.padStart(5)} s`);
      if (code !== 0) console.log(Buffer.concat(output).toString());
      resolve(code === 0);
    });
  });
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some(([known]) => known === name));
if (unknown.length > 0) {
  console.error(`There is no check named ${unknown.join(', ')}. The checks are: ${checks.map(([name]) => name).join(', ')}.`);
  process.exit(2);
}

const queue = checks.filter(([name]) => wanted.length === 0 || wanted.includes(name));
let failed = 0;
async function lane() {
  for (let check = queue.shift(); check; check = queue.shift()) if (!(await run(check))) failed += 1;
}
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
process.exitCode = failed > 0 ? 1 : 0;
