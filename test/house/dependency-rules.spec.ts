import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');

/** A sound house in small; each case plants one import that the rules must report by name. */
const house = {
  'libs/contracts/src/index.ts': 'export const topic = 1;',
  'libs/event-log/src/index.ts': "export { topic } from '@doorledger/contracts';",
  'libs/event-log/src/claims/fold.ts': "export { topic } from '@doorledger/contracts';",
  'libs/ledger/src/index.ts': "export { topic } from '@doorledger/event-log';",
  'libs/ledger/src/sqlite/store.ts': "export { default } from 'better-sqlite3';",
  'libs/doors/src/index.ts': "export { topic } from '@doorledger/ledger';",
  'apps/host/src/main.ts': "import '@doorledger/doors';",
};

const planted: Record<string, [file: string, code: string]> = {
  'arrows-of-contracts': ['libs/contracts/src/up.ts', "import '@doorledger/event-log';"],
  'arrows-of-ledger': ['libs/ledger/src/up.ts', "import type { topic } from '@doorledger/doors';\nexport type T = typeof topic;"],
  'arrows-of-event-log': ['libs/event-log/src/app.ts', "import '../../../apps/host/src/main.js';"],
  'every-lib-has-arrows': ['libs/stray/src/index.ts', "import '@doorledger/contracts';"],
  'libs-through-their-index': ['libs/doors/src/deep.ts', "import '../../ledger/src/sqlite/store.js';"],
  'folds-are-pure': ['libs/event-log/src/claims/clock.ts', "import 'node:fs';"],
  'projections-are-pure': ['libs/ledger/src/projection/rows.ts', "import 'kysely';"],
  'replay-has-no-effects': ['apps/projector/src/main.ts', "import '@doorledger/doors';"],
  'domain-without-nest': ['libs/ledger/src/service.ts', "import '@nestjs/common';"],
  'kafkajs-in-its-place': ['libs/event-log/src/any.ts', "import 'kafkajs';"],
  'better-sqlite3-in-its-place': ['libs/ledger/src/any.ts', "import 'better-sqlite3';"],
  'product-without-tests': ['libs/ledger/src/checked.ts', "import 'fast-check';"],
  'names-say-something': ['libs/ledger/src/any-user.ts', "import './utils.js';"],
  'no-cycles': ['libs/ledger/src/a.ts', "import './b.js';"],
  'no-unresolved': ['libs/ledger/src/lost.ts', "import './nowhere.js';"],
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-house-'));
  cpSync(join(root, 'tsconfig.json'), join(dir, 'tsconfig.json'));
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  for (const [file, code] of Object.entries(house)) write(file, code);
});
afterEach(() => rmSync(dir, { recursive: true }));

function write(file: string, code: string): void {
  mkdirSync(dirname(join(dir, file)), { recursive: true });
  writeFileSync(join(dir, file), code);
}

function broken(): string[] {
  const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [cruiser, 'libs', 'apps', '--config', join(root, '.dependency-cruiser.js'), '--output-type', 'json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  if (!stdout) throw new Error(stderr);
  const { summary } = JSON.parse(stdout) as { summary: { violations: { rule: { name: string } }[] } };
  return [...new Set(summary.violations.map((v) => v.rule.name))];
}

it('X0 finds nothing to report in a sound house', () => {
  expect(broken()).toEqual([]);
});

it('X0 reports a planted way from the ledger to a door, and every other arrow that points up, by name', () => {
  write('libs/ledger/src/utils.ts', 'export const any = 1;');
  write('libs/ledger/src/b.ts', "import './a.js';");
  for (const [file, code] of Object.values(planted)) write(file, code);
  expect(broken().sort()).toEqual(Object.keys(planted).sort());
});
