import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const codesIn = (text: string) => new Set(text.match(/\bERR_[A-Z_]+\b/g) ?? []);

/** Node's own codes, which the product reads and never gives out. */
const NODES = new Set(['ERR_STREAM_DESTROYED', 'ERR_SSL_WRONG_VERSION_NUMBER']);

const sources = ['libs', 'apps']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter(({ name, parentPath }) => /^(?!.*\.(spec|contract)\.ts$).*\.ts$/.test(name) && !/[/\\]testing\b/.test(parentPath))
  .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'))
  .join('\n');
const thrown = codesIn((sources.match(/'ERR_[A-Z_]+'/g) ?? []).join(' '));
const operating = codesIn(read('docs/operating.md'));
const atTheDoors = codesIn(read('docs/spec/1-doors.md'));

it('explains every code of ours to its reader: operators in docs/operating.md, callers in docs/spec/1-doors.md', () => {
  expect(thrown.size).toBeGreaterThan(40);
  const unexplained = [...thrown].filter((code) => !operating.has(code) && !atTheDoors.has(code) && !NODES.has(code));
  expect(unexplained.sort()).toEqual([]);
});

it('explains no code that is gone', () => {
  const gone = [...operating].filter((code) => !thrown.has(code) && !atTheDoors.has(code));
  expect(gone.sort()).toEqual([]);
});
