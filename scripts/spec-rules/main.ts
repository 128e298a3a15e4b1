// Prints which rule of docs/spec is shown by which tests; exits 1 when a rule is unaccounted for. `--quiet` prints faults only.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coverageOf } from './coverage.js';
import { readOpenList } from './open-list.js';
import { readSpec } from './spec-pages.js';
import { readTitles } from './test-titles.js';

const root = join(import.meta.dirname, '../..');
const list = readOpenList(readFileSync(join(root, 'docs/spec/open.md'), 'utf8'));
const { rows, faults } = coverageOf(readSpec(join(root, 'docs/spec')), readTitles(root, ['apps', 'libs', 'bench', 'test']), list.open);

if (!process.argv.includes('--quiet'))
  for (const [at, { rule, state, tests }] of rows.entries()) {
    if (rule.page !== rows[at - 1]?.rule.page) console.log(`\n${rule.page}`);
    const files = [...new Set(tests.map(({ file }) => file.split('/').at(-1)))];
    const shown = tests.length > 0 ? `${String(tests.length).padStart(3)} in ${files.join(', ')}` : `    ${rule.text.slice(0, 60)}`;
    console.log(`  ${rule.name.padEnd(4)} ${state.padEnd(8)} ${shown}`);
  }

const all = [...list.faults, ...faults];
for (const fault of all) console.log(fault);
const count = (state: string) => rows.filter((row) => row.state === state).length;
console.log(`${rows.length} rules: ${count('kept')} kept, ${count('in part')} in part, ${count('not yet')} not yet; ${all.length} faults`);
process.exitCode = all.length > 0 ? 1 : 0;
