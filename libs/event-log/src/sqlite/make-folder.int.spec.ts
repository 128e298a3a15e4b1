import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireWriterLock } from './lock.js';
import { makeFolder } from './make-folder.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-folder-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('makes a folder with those above it, and leaves one that is there', () => {
  for (let times = 0; times < 2; times++) makeFolder(join(dir, 'a', 'b', 'c'));
  expect(existsSync(join(dir, 'a', 'b', 'c'))).toBe(true);
});

it('says what stands in the way of a folder', () => {
  writeFileSync(join(dir, 'file'), '');
  symlinkSync(join(dir, 'nowhere'), join(dir, 'link'));
  for (const [name, code] of [
    ['file', 'EEXIST'],
    ['file/data', 'ENOTDIR'],
    ['link', 'EEXIST'],
  ] as const)
    expect(() => makeFolder(join(dir, name))).toThrow(expect.objectContaining({ code }));
});

// A folder that takes none: the loop that this is against is of the system call, and could not be ended from here.
const onLinux = process.platform === 'linux' ? it : it.skip;
onLinux.each(['/proc/doorledger', '/proc/doorledger/data'])('K15 ends where the system takes no folder: %s', (place) => {
  expect(() => makeFolder(place)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  expect(() => acquireWriterLock(place)).toThrow(expect.objectContaining({ code: 'ERR_DATA_UNWRITABLE' }));
});
