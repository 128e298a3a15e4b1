import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topics } from '@doorledger/contracts';
import Database from 'better-sqlite3';
import type { EventLog } from '../event-log.js';
import { backupSqlite } from './backup.js';
import { openSqliteFile } from './file.js';
import { openSqliteLog } from './sqlite-log.js';
import { verifySqliteLog } from './verify.js';

const topic = topics.session.name;
const partitions = new Map([[topic, 2]]);
let dir: string;
let to: string;
let log: EventLog;
beforeEach(async () => {
  const root = mkdtempSync(join(tmpdir(), 'doorledger-backup-'));
  [dir, to] = [join(root, 'data'), join(root, 'backup')];
  log = await openSqliteLog({ dir, role: 'writer', topics: partitions });
});
afterEach(async () => {
  await log.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

const append = (n: number) => log.append(topic, [{ key: `${n}`, value: Buffer.from(`value ${n}`), headers: {} }]);
const lengthOf = async (place: string): Promise<number> => {
  const reader = await openSqliteLog({ dir: place, role: 'reader', topics: partitions });
  const ranges = await reader.ends(topic);
  await reader.close();
  return ranges.reduce((sum, { end }) => sum + end, 0);
};

it('K14 and N54 copy a running log, its ledger, webhooks and keys, checked, so that only keys are newer than the log, and the copy starts', async () => {
  const row = (db: Database.Database): void => void db.exec('CREATE TABLE note (text TEXT)').exec("INSERT INTO note VALUES ('there')");
  const others = (['ledger', 'webhooks', 'keys'] as const).map((kind) =>
    openSqliteFile(join(dir, kind === 'ledger' ? 'ledger.7.db' : `${kind}.db`), {
      kind,
      format: 1,
      role: 'writer',
      synchronous: 'NORMAL',
      create: row,
    }),
  );
  for (const file of others) file.write(() => file.db.exec("INSERT INTO note VALUES ('not yet folded in')"));
  writeFileSync(join(dir, 'ledger.current'), '7\n');
  for (let n = 0; n < 50; n++) await append(n);
  const files: string[] = [];
  expect(
    await backupSqlite({
      dir,
      to,
      onProgress: ({ file, copiedPages, totalPages }) => void (copiedPages === totalPages && files.push(file)),
    }),
  ).toEqual(['ledger.7.db', 'webhooks.db', 'log.db', 'keys.db']);
  expect(files).toEqual(['ledger.7.db', 'webhooks.db', 'log.db', 'keys.db']);
  expect(readdirSync(to).sort()).toEqual(['keys.db', 'ledger.7.db', 'ledger.current', 'log.db', 'webhooks.db']);
  for (const file of others) file.close();
  for (const name of ['ledger.7.db', 'webhooks.db', 'keys.db']) {
    const copy = new Database(join(to, name), { readonly: true });
    expect(copy.prepare('SELECT text FROM note').pluck().all()).toEqual(['there', 'not yet folded in']);
    copy.close();
  }
  const started = await openSqliteLog({ dir: to, role: 'writer', topics: partitions });
  expect(started.place).toBe(log.place);
  expect(await started.append(topic, [{ key: '0', value: Buffer.from('more'), headers: {} }])).toHaveLength(1);
  await started.close();
  expect(await lengthOf(to)).toBe(51);
});

it('K14 copies one moment of a log that is written all the while', async () => {
  for (let n = 0; n < 2_000; n++) void append(n);
  await append(2_000);
  let isCopying = true;
  let written = 2_001;
  const writing = (async () => {
    while (isCopying) await append(written++);
  })();
  const before = written;
  await backupSqlite({ dir, to });
  isCopying = false;
  await writing;
  const copied = await verifySqliteLog(to);
  expect(copied).toBeGreaterThanOrEqual(before - 1);
  expect(copied).toBeLessThanOrEqual(written);
  expect(await verifySqliteLog(dir)).toBe(written);
});

it('K14 backs up into an empty folder, never into one that holds something, and leaves nothing half done', async () => {
  await append(1);
  mkdirSync(to);
  await backupSqlite({ dir, to });
  const before = readdirSync(to);
  await expect(backupSqlite({ dir, to })).rejects.toMatchObject({ code: 'ERR_BACKUP_TARGET' });
  expect(readdirSync(to)).toEqual(before);
  await expect(backupSqlite({ dir: join(dir, 'nothing'), to: join(to, 'new') })).rejects.toMatchObject({ code: 'ERR_FILE_MISSING' });
  await log.close();
  const bytes = readFileSync(join(dir, 'log.db'));
  bytes.write('velue', bytes.lastIndexOf('value 1'));
  writeFileSync(join(dir, 'log.db'), bytes);
  await expect(backupSqlite({ dir, to: `${to}-2` })).rejects.toMatchObject({ code: 'ERR_LOG_CORRUPT' });
  expect(existsSync(`${to}-2`)).toBe(false);
  expect(existsSync(`${to}-2.partial`)).toBe(false);
});

it('K14 does not copy a pair of files that do not belong together', async () => {
  const other = join(dir, 'other');
  const theirs = await openSqliteLog({ dir: other, role: 'writer', topics: partitions });
  await theirs.append(topic, [{ key: 'k', value: Buffer.from('{}'), headers: {} }]);
  await log.close();
  copyFileSync(join(other, 'log.db-wal'), join(dir, 'log.db-wal'));
  await theirs.close();
  await expect(backupSqlite({ dir, to })).rejects.toMatchObject({ code: 'ERR_FILE_FOREIGN_WAL' });
});
