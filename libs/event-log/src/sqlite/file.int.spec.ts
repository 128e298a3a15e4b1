import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type SqliteFileOptions, openSqliteFile } from './file.js';
import type { SqliteFile } from './sqlite-file.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-file-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const options: SqliteFileOptions = {
  role: 'writer',
  synchronous: 'FULL',
  kind: 'keys',
  format: 3,
  create: (db) => db.exec('CREATE TABLE step (n INTEGER PRIMARY KEY, filler TEXT)'),
};
const at = (name: string): string => join(dir, name);
const open = (name: string, changed: Partial<SqliteFileOptions> = {}): SqliteFile => openSqliteFile(at(name), { ...options, ...changed });

/** Rewrites one row and adds one: pages of every age are in the file. */
const step = (file: SqliteFile, n: number): void =>
  file.write(() => {
    file.db.prepare('INSERT INTO step VALUES (?, ?)').run(n, 'x'.repeat(3_000));
    file.db.prepare('UPDATE step SET filler = ? WHERE n = ?').run(`${n}`.repeat(500), Math.floor(n / 2));
  });
/** Short, and different whenever any row is. */
const content = (file: SqliteFile): string[] =>
  file.db.prepare<[], string>("SELECT n || ':' || substr(filler, 1, 3) FROM step ORDER BY n").pluck().all();

it('K14 makes a missing file whole, opens it again as the same file, and does not make one for a reader', () => {
  expect(() => open('keys.db', { role: 'reader' })).toThrow(expect.objectContaining({ code: 'ERR_FILE_MISSING' }));
  writeFileSync(at('keys.db.new'), 'left by a start that was killed');
  const file = open('keys.db');
  const { fileId } = file;
  step(file, 1);
  file.close();
  expect(existsSync(at('keys.db.new'))).toBe(false);
  const again = open('keys.db');
  expect(again.fileId).toBe(fileId);
  expect(content(again)).toHaveLength(1);
  again.close();
});

it.each<[string, string, (path: string) => void]>([
  ['a text file', 'ERR_FILE_FOREIGN', (path) => writeFileSync(path, 'Dear diary, today I was not a database.'.repeat(300))],
  [
    'a stranger',
    'ERR_FILE_FOREIGN',
    (path) => {
      rmSync(path);
      new Database(path).exec('CREATE TABLE t (a)').close();
    },
  ],
  [
    'a file of another kind',
    'ERR_FILE_FOREIGN',
    (path) => {
      rmSync(path);
      openSqliteFile(path, { ...options, kind: 'ledger' }).close();
    },
  ],
  [
    'a file of a newer release',
    'ERR_FILE_NEWER',
    (path) => {
      rmSync(path);
      openSqliteFile(path, { ...options, format: 4 }).close();
    },
  ],
  [
    'a file of an older release',
    'ERR_FILE_OLDER',
    (path) => {
      rmSync(path);
      openSqliteFile(path, { ...options, format: 2 }).close();
    },
  ],
  ['an empty file', 'ERR_FILE_TORN', (path) => truncateSync(path, 0)],
  ['the first half of a file', 'ERR_FILE_TORN', (path) => truncateSync(path, Math.floor(readFileSync(path).length / 8192) * 4096)],
  ['the first page of a file', 'ERR_FILE_TORN', (path) => truncateSync(path, 4096)],
  [
    'a file with a damaged second page',
    'ERR_FILE_TORN',
    (path) => {
      const bytes = readFileSync(path);
      bytes.fill(0xaa, 4096, 8192);
      writeFileSync(path, bytes);
    },
  ],
])('K6 and K14 refuse %s by name', (_, code, plant) => {
  const file = open('keys.db');
  for (let n = 0; n < 10; n++) step(file, n);
  file.close();
  plant(at('keys.db'));
  const before = readFileSync(at('keys.db'));
  for (const role of ['writer', 'reader'] as const) expect(() => open('keys.db', { role })).toThrow(expect.objectContaining({ code }));
  expect(readFileSync(at('keys.db')).equals(before)).toBe(true);
});

/** A main file and its write-ahead file as a copy in the middle of work finds them, and what they say together. */
interface Moment {
  readonly main: Buffer;
  readonly wal: Buffer;
  readonly content: string[];
  /** A reader held up a checkpoint: the main file has some pages of later transactions than others, and says nothing without its own write-ahead file. */
  readonly isHalfFolded: boolean;
}

/** The life of a file: transactions, checkpoints of every kind, one beside a reader that holds it up, and starts. */
function momentsOfALife(name: string): Moment[] {
  const moments: Moment[] = [];
  let file = open(name);
  let n = 0;
  let isHalfFolded = false;
  const look = (): void => {
    const path = at(name);
    moments.push({
      main: readFileSync(path),
      wal: existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0),
      content: content(file),
      isHalfFolded,
    });
  };
  const work = (steps: number): void => {
    for (let i = 0; i < steps; i++) step(file, n++);
    look();
  };
  const checkpoint = (mode: string): void => {
    file.db.pragma(`wal_checkpoint(${mode})`);
    look();
  };
  look();
  work(3);
  work(1);
  checkpoint('PASSIVE');
  work(1);
  checkpoint('TRUNCATE');
  work(2);
  const reader = new Database(at(name), { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM step').get();
  work(2);
  file.db.pragma('busy_timeout = 0');
  isHalfFolded = true;
  checkpoint('RESTART');
  work(1);
  reader.close();
  isHalfFolded = false;
  checkpoint('RESTART');
  work(1);
  file.reserveWal();
  work(1);
  file.close();
  file = open(name);
  look();
  work(2);
  file.close();
  return moments;
}

function put(name: string, main: Buffer, wal: Buffer): void {
  rmSync(`${at(name)}-shm`, { force: true });
  writeFileSync(at(name), main);
  writeFileSync(`${at(name)}-wal`, wal);
}

/** What the pair says when it is opened, or the code it is refused with. */
function said(name: string): unknown {
  let file: SqliteFile | undefined;
  try {
    file = open(name);
    expect(file.db.pragma('integrity_check', { simple: true })).toBe('ok');
    return content(file);
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    file?.close();
  }
}

it('K14 refuses every main file put beside a write-ahead file that is not its own, and opens every pair that belongs together', () => {
  const moments = momentsOfALife('life.db');
  let refused = 0;
  for (const [i, { main, content: ofMain, isHalfFolded }] of moments.entries()) {
    for (const [j, { wal, content: ofWal }] of moments.entries()) {
      if (isHalfFolded && i !== j) continue;
      put('pair.db', main, wal);
      const result = said('pair.db');
      if (i === j) expect(result).toEqual(ofMain);
      else if (result === 'ERR_FILE_FOREIGN_WAL') refused += 1;
      else if (wal.some((byte) => byte !== 0)) expect(result).toEqual(ofWal);
      else expect(moments.map((moment) => moment.content)).toContainEqual(result);
    }
  }
  expect(refused).toBeGreaterThan(moments.length);
});

it('K14 refuses the write-ahead file of another file, and of a copy that went its own way', () => {
  const [other] = momentsOfALife('other.db').slice(1);
  const file = open('keys.db');
  step(file, 0);
  file.close();
  copyFileSync(at('keys.db'), at('copy.db'));
  const [ours, copys] = ['keys.db', 'copy.db'].map((name) => {
    const writer = open(name);
    step(writer, 1);
    const moment = { main: readFileSync(at(name)), wal: readFileSync(`${at(name)}-wal`), content: content(writer) };
    writer.db.pragma('wal_checkpoint(PASSIVE)');
    const folded = readFileSync(at(name));
    writer.close();
    return { ...moment, folded };
  });
  put('pair.db', ours!.folded, other!.wal);
  expect(said('pair.db')).toBe('ERR_FILE_FOREIGN_WAL');
  put('pair.db', ours!.folded, copys!.wal);
  expect(said('pair.db')).toBe('ERR_FILE_FOREIGN_WAL');
  put('pair.db', ours!.folded, ours!.wal);
  expect(said('pair.db')).toEqual(ours!.content);
});

it('K6 takes from a torn write-ahead file the whole transactions before the tear, and nothing else', () => {
  const moments = momentsOfALife('life.db');
  const before = moments[1]!;
  const after = moments[2]!;
  for (const cut of [1, 100, 4_120, 4_121, 8_000]) {
    put('pair.db', after.main, after.wal.subarray(0, after.wal.length - cut));
    expect(said('pair.db')).toEqual(before.content);
  }
  const flipped = Buffer.from(after.wal);
  flipped[flipped.length - 50]! ^= 1;
  put('pair.db', after.main, flipped);
  expect(said('pair.db')).toEqual(before.content);
});

it('K6 takes nothing from a write-ahead file that holds no whole transaction, whosever it is', () => {
  const other = momentsOfALife('other.db')[1]!;
  const { main, content: ofMain } = momentsOfALife('life.db')[0]!;
  for (const length of [0, 31, 32, 32 + 4_120, 32 + 2 * 4_120 - 1]) {
    put('pair.db', main, other.wal.subarray(0, length));
    expect(said('pair.db')).toEqual(ofMain);
  }
});

it('K4 takes back a whole transaction when the disk is full, and goes on when it has space again', () => {
  const file = open('keys.db');
  step(file, 0);
  const pages = file.db.pragma('page_count', { simple: true }) as number;
  file.db.pragma(`max_page_count = ${pages + 2}`);
  const fill = (): void =>
    file.write(() => {
      for (let n = 1; n < 20; n++) file.db.prepare('INSERT INTO step VALUES (?, ?)').run(n, 'x'.repeat(3_000));
    });
  expect(fill).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }));
  expect(content(file)).toHaveLength(1);
  file.db.pragma('max_page_count = 100000');
  fill();
  expect(content(file)).toHaveLength(20);
  file.close();
});

it('K14 keeps the write-ahead file near its bound, and folds it in once a reader that held it up is gone', () => {
  const bound = 16 * 1024 * 1024;
  const file = open('keys.db');
  const write = (): number => {
    file.write(() => file.db.prepare('INSERT INTO step VALUES ((SELECT coalesce(max(n), 0) + 1 FROM step), ?)').run('x'.repeat(500_000)));
    return file.walBytes();
  };
  let highest = 0;
  for (let i = 0; i < 80; i++) highest = Math.max(highest, write());
  expect(highest).toBeLessThan(bound + 1_000_000);
  const reader = open('keys.db', { role: 'reader' });
  reader.db.exec('BEGIN');
  reader.db.prepare('SELECT count(*) FROM step').get();
  for (let i = 0; i < 60; i++) write();
  expect(file.walBytes()).toBeGreaterThan(bound);
  reader.db.exec('COMMIT');
  let lowest = Infinity;
  for (let i = 0; i < 20; i++) lowest = Math.min(lowest, write());
  expect(lowest).toBeLessThan(2_000_000);
  reader.close();
  file.close();
});
