import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WrittenAside } from './written-aside.js';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'doorledger-aside-'))));
afterEach(() => rmSync(dir, { recursive: true }));

it('X4 gives a file its name only once every line of it is there', async () => {
  const path = join(dir, 'facts.jsonl');
  const file = await WrittenAside.open(path);
  const lines = Array.from({ length: 40_000 }, (_, n) => JSON.stringify({ n }));
  for (const line of lines) await file.line(line);
  expect(existsSync(path)).toBe(false);
  await file.finish();
  await file.discard();
  expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  expect(readdirSync(dir)).toEqual(['facts.jsonl']);
});

it('X4 leaves the former file alone when the new one is not finished', async () => {
  const path = join(dir, 'facts.jsonl');
  writeFileSync(path, '{"topic":"yesterday"}\n');
  const file = await WrittenAside.open(path);
  await file.line('today');
  await file.discard();
  expect(readFileSync(path, 'utf8')).toBe('{"topic":"yesterday"}\n');
  expect(readdirSync(dir)).toEqual(['facts.jsonl']);
});

it('X4 replaces nothing that no export wrote: another file, a folder, what a link leads to', async () => {
  const [note, folder, link, empty] = ['note.txt', 'folder', 'link', 'empty'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ];
  writeFileSync(note, 'mine\n');
  writeFileSync(empty, '');
  mkdirSync(folder);
  symlinkSync(note, link);
  for (const path of [note, folder, link]) await expect(WrittenAside.open(path)).rejects.toMatchObject({ code: 'ERR_EXPORT_FILE' });
  expect([readFileSync(note, 'utf8'), readdirSync(dir).sort()]).toEqual(['mine\n', ['empty', 'folder', 'link', 'note.txt']]);
  const file = await WrittenAside.open(empty);
  await file.line('{"topic":"one"}');
  await file.finish();
  await (await WrittenAside.open(empty)).discard();
});

it('X4 says in one sentence that a file cannot be written', async () => {
  await expect(WrittenAside.open(join(dir, 'nowhere', 'facts.jsonl'))).rejects.toMatchObject({ code: 'ERR_EXPORT_FILE' });
});
