import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { topics } from '@doorledger/contracts';
import Database from 'better-sqlite3';
import { AppendIndefiniteError } from '../errors.js';
import type { EventLog, Position, RecordBatch } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';
import { startChildAppender } from '../testing/child-appender.js';
import { type EventLogFixture, eventLogContract } from '../testing/event-log.contract.js';
import { violationsOf } from '../testing/history.js';
import { logCutContract } from '../testing/log-cut.contract.js';
import { type SqliteLogOptions, openSqliteLog } from './sqlite-log.js';
import { verifySqliteLog } from './verify.js';

const topic = topics.session.name;
const maxQueuedBytes = 512 * 1024;
const program = join(__dirname, '../testing/sqlite-appender.ts');

async function openFixture(topic: string = topics.session.name): Promise<EventLogFixture> {
  const dir = await mkdtemp(join(tmpdir(), 'doorledger-log-'));
  const open = () => openSqliteLog({ dir, role: 'writer', topics: new Map([[topic, 4]]), maxQueuedBytes });
  let log = await open();
  return {
    log,
    topic,
    maxQueuedBytes,
    reopen: async () => {
      await log.close();
      return (log = await open());
    },
    startChildAppender: () => startChildAppender(program, [dir, topic, '4']),
    dispose: async () => {
      await log.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

eventLogContract('sqlite', openFixture);
logCutContract('sqlite', openFixture);

describe('the SQLite log', () => {
  let dir: string;
  const open: EventLog[] = [];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'doorledger-log-'));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((log) => log.close()));
    rmSync(dir, { recursive: true, force: true });
  });

  const openLog = async (options: Partial<SqliteLogOptions> = {}): Promise<EventLog> => {
    const log = await openSqliteLog({ dir, role: 'writer', topics: new Map([[topic, 2]]), ...options });
    open.push(log);
    return log;
  };
  const append = (log: EventLog, ...values: string[]): Promise<Position[]> =>
    log.append(
      topic,
      values.map((value) => ({ key: 'key', value: Buffer.from(value), headers: {} })),
    );
  const codeOf = (opening: Promise<unknown>): Promise<unknown> =>
    opening.then(
      () => 'opened',
      (error: { code?: string }) => error.code ?? error,
    );

  /** Collects records until `count` came. */
  function collect(count: number): { take: (batch: RecordBatch) => void; all: Promise<StoredRecord[]> } {
    const records: StoredRecord[] = [];
    let done = (_: StoredRecord[]): void => {};
    const all = new Promise<StoredRecord[]>((resolve) => (done = resolve));
    return { take: (batch) => void (records.push(...batch.records), records.length >= count && done(records)), all };
  }

  it('K14 refuses a second writer, and lets readers stand beside the first', async () => {
    const log = await openLog();
    expect(await codeOf(openLog())).toBe('ERR_DATA_IN_USE');
    const reader = await openLog({ role: 'reader' });
    expect(reader.place).toBe(log.place);
    expect(await codeOf(append(reader, 'no'))).toBe('ERR_LOG_READ_ONLY');
    await log.close();
    await openLog();
  });

  it('K15 names a log that is not there yet, and makes nothing for a reader', async () => {
    expect(await codeOf(openLog({ role: 'reader' }))).toBe('ERR_FILE_MISSING');
    await (await openLog()).close();
    expect(await codeOf(openLog({ role: 'reader' }))).toBe('opened');
  });

  it('K14 refuses a log made with other topics or partition counts', async () => {
    await (await openLog()).close();
    for (const topics of [
      new Map([[topic, 3]]),
      new Map([
        [topic, 2],
        ['doorledger.other.v1', 1],
      ]),
      new Map<string, number>(),
    ])
      for (const role of ['writer', 'reader'] as const) expect(await codeOf(openLog({ topics, role }))).toBe('ERR_LOG_TOPICS');
    await openLog();
  });

  it('L1 gives a transaction one timestamp, and each start of the writer a new epoch', async () => {
    const epochs: number[] = [];
    for (let start = 0; start < 3; start++) {
      const log = await openLog();
      const records = await Promise.all((await append(log, 'a', 'b')).map((position) => log.recordAt(position)));
      expect(records[0]!.timestamp).toBe(records[1]!.timestamp);
      epochs.push(records[0]!.epoch);
      await log.close();
    }
    expect(epochs).toEqual([1, 2, 3]);
  });

  it('L7 shows a record to a follower at the end before its append is acknowledged, and the same one to all', async () => {
    const log = await openLog();
    const seen: StoredRecord[][] = [[], []];
    for (const records of seen) log.follow({ [topic]: [0, 0] }, (batch) => void records.push(...batch.records));
    for (let n = 1; n <= 20; n++) {
      await append(log, `${n}`);
      expect(seen.map((records) => records.length)).toEqual([n, n]);
    }
    for (const [i, record] of seen[0]!.entries()) expect(seen[1]![i]).toBe(record);
  });

  it('K7 lets a follower that falls far behind read the file, and the others go on', async () => {
    const log = await openLog();
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const calls = 60;
    const slow = collect(calls * 50);
    log.follow({ [topic]: [0, 0] }, async (batch) => {
      await held;
      slow.take(batch);
    });
    const value = Buffer.alloc(6_000, 120);
    // 18 MB: more than what is kept in memory.
    for (let call = 0; call < calls; call++)
      await log.append(
        topic,
        Array.from({ length: 50 }, (_, i) => ({ key: `${i}`, value, headers: {} })),
      );
    letGo();
    const offsets: number[][] = [[], []];
    for (const { partition, offset } of await slow.all) offsets[partition]!.push(offset);
    for (const found of offsets) expect(found).toEqual(found.map((_, i) => i));
  });

  it('K14 follows and reads beside a writer of another process', async () => {
    await (await openLog({ topics: new Map([[topic, 4]]) })).close();
    const reader = await openLog({ role: 'reader', topics: new Map([[topic, 4]]) });
    const followed: StoredRecord[][] = [[], [], [], []];
    let met = (): void => {};
    const subscription = reader.follow(
      { [topic]: [0, 0, 0, 0] },
      ({ partition, records }) => void (followed[partition]!.push(...records), met()),
    );
    const child = startChildAppender(program, [dir, topic, '4']);
    child.begin();
    await child.acknowledgedCalls(300);
    await child.kill();
    const { acknowledged } = child;
    const missing = (): number =>
      acknowledged.flatMap(({ positions }) => positions).filter(({ partition, offset }) => offset >= followed[partition]!.length).length;
    await new Promise<void>((resolve) => {
      met = () => void (missing() === 0 && resolve());
      met();
    });
    await subscription.close();
    expect(violationsOf({ acknowledged, partitions: followed })).toEqual([]);
    const read: StoredRecord[][] = [[], [], [], []];
    for await (const { partition, records } of reader.read(topic, [0, 0, 0, 0])) read[partition]!.push(...records);
    expect(violationsOf({ acknowledged, partitions: read })).toEqual([]);
  });

  it('K4 knows nothing of an append whose writer was stopped, and ends its followers', async () => {
    const program = `
      import { openSqliteLog } from ${JSON.stringify(join(__dirname, 'sqlite-log.ts'))};
      import { Worker } from 'node:worker_threads';
      let worker;
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (...args) { worker = this; return post.apply(this, args); };
      const log = await openSqliteLog({ dir: ${JSON.stringify(dir)}, role: 'writer', topics: new Map([[${JSON.stringify(topic)}, 2]]) });
      const record = { key: 'k', value: Buffer.from('{}'), headers: {} };
      const code = (promise) => promise.then(() => 'done', (error) => error.constructor.name + ' ' + error.code);
      const subscription = log.follow({ ${JSON.stringify(topic)}: [0, 0] }, () => {});
      await log.append(${JSON.stringify(topic)}, [record]);
      Atomics.notify = () => void worker.terminate();
      const lost = code(log.append(${JSON.stringify(topic)}, [record]));
      console.log([await lost, await code(log.append(${JSON.stringify(topic)}, [record])), await code(subscription.failed)].join());
      await log.close();
    `;
    writeFileSync(join(dir, 'loses-its-writer.mjs'), program);
    const child = spawn(process.execPath, [join(dir, 'loses-its-writer.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
    expect(said.trim()).toBe('AppendIndefiniteError ERR_APPEND_UNKNOWN,AppendRefusedError ERR_LOG_STOPPED,LogRefusedError ERR_LOG_STOPPED');
    expect(code).toBe(0);
  });

  it('K4 refuses for good what a full disk does not take, and has all that it took', async () => {
    const values = Array.from({ length: 40 }, (_, i) => `${i}`.repeat(2_000));
    const program = `
      import { createRequire } from 'node:module';
      import { isMainThread } from 'node:worker_threads';
      const { prototype } = createRequire(${JSON.stringify(__filename)})('better-sqlite3');
      const { prepare } = prototype;
      if (!isMainThread) prototype.prepare = function (sql) {
        if (sql.startsWith('INSERT INTO record')) this.pragma('max_page_count = 30');
        return prepare.call(this, sql);
      };
      if (isMainThread && process.argv[1] === import.meta.filename) {
        const { openSqliteLog } = await import(${JSON.stringify(join(__dirname, 'sqlite-log.ts'))});
        const log = await openSqliteLog({ dir: ${JSON.stringify(dir)}, role: 'writer', topics: new Map([[${JSON.stringify(topic)}, 2]]) });
        for (const text of ${JSON.stringify(values)}) {
          const append = log.append(${JSON.stringify(topic)}, [{ key: text.slice(0, 9), value: Buffer.from(text), headers: {} }]);
          console.log(await append.then(() => 'on the log', (error) => error.constructor.name + ' ' + error.code));
        }
        await log.close();
      }
    `;
    const path = join(dir, 'fills-the-disk.mjs');
    writeFileSync(path, program);
    const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS} --import=${path}` };
    const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'], env });
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
    expect(code).toBe(0);
    const lines = said.trim().split('\n');
    expect(new Set(lines)).toEqual(new Set(['on the log', 'AppendRefusedError ERR_DISK_FULL']));
    expect(await verifySqliteLog(dir)).toBe(lines.filter((line) => line === 'on the log').length);
  });

  it('K1 stops soon after log.db was moved away, and says what to do', async () => {
    const log = await openLog();
    const record = { key: 'k', value: Buffer.from('{}'), headers: {} };
    await log.append(topic, [record]);
    renameSync(join(dir, 'log.db'), join(dir, 'moved.db'));
    const movedAt = performance.now();
    let error: unknown;
    while (error === undefined && performance.now() - movedAt < 10_000)
      error = await log.append(topic, [record]).then(
        () => undefined,
        (e: unknown) => e,
      );
    expect(error).toBeInstanceOf(AppendIndefiniteError);
    await expect(log.append(topic, [record])).rejects.toMatchObject({
      code: 'ERR_LOG_STOPPED',
      message: 'log.db was moved or removed while it was written to, and the writer has stopped: put it back and restart the process.',
    });
  });

  it('K1 appends each call once, however late its writer is woken', async () => {
    const log = await openLog();
    const { notify } = Atomics;
    const late: typeof notify = (memory, index, count) => {
      const until = performance.now() + 2;
      while (performance.now() < until);
      return notify(memory as Int32Array, index, count);
    };
    const values = Array.from({ length: 100 }, (_, i) => `${i}`);
    Atomics.notify = late;
    try {
      for (const value of values) await append(log, value);
    } finally {
      Atomics.notify = notify;
    }
    const found: string[] = [];
    for await (const { records } of log.read(topic, [0, 0])) found.push(...records.map(({ value }) => Buffer.from(value!).toString()));
    expect(found).toEqual(values);
  });

  it('K1 keeps one call whole that does not fit into the memory shared with the writer', async () => {
    const log = await openLog();
    const values = Array.from({ length: 90 }, (_, i) => `${i % 10}`.repeat(8_000));
    const appended = await log.append(
      topic,
      values.map((value) => ({ key: 'k', value: Buffer.from(value), headers: {} })),
    );
    await log.append(topic, [{ key: 'k', value: Buffer.from('small'), headers: {} }]);
    const { partition } = appended[0]!;
    const found: string[] = [];
    for await (const batch of log.read(topic, [0, 0]))
      if (batch.partition === partition) found.push(...batch.records.map(({ value }) => Buffer.from(value!).toString()));
    expect(found).toEqual([...values, 'small']);
    expect(await verifySqliteLog(dir)).toBe(91);
  });

  it.each([Buffer.from([0xff, 0x00, 0xc3]), Buffer.from('a \uFFFD b'), Buffer.from('\uFEFFé\u0000ü')])(
    'K2 gives back the very bytes, whether or not they are text: %p',
    async (value) => {
      const log = await openLog();
      const [position] = await log.append(topic, [{ key: 'k', value, headers: {} }]);
      const reader = await openLog({ role: 'reader' });
      const found: Uint8Array[] = [(await reader.recordAt(position!))!.value!];
      for await (const { records } of reader.read(topic, [0, 0])) found.push(records[0]!.value!);
      expect(found.map((bytes) => Buffer.from(bytes))).toEqual([value, value]);
    },
  );

  /** Changes a stored record behind the log's back. */
  function tamper(statement: string): void {
    const db = new Database(join(dir, 'log.db'));
    expect(db.prepare(statement).run().changes).toBe(1);
    db.close();
  }

  it.each<[string, string]>([
    ['whose value changed', "UPDATE record SET value = CAST('6x' AS BLOB) WHERE value = CAST('67' AS BLOB)"],
    ['whose value became text', "UPDATE record SET value = CAST(value AS TEXT) WHERE value = CAST('67' AS BLOB)"],
    ['whose key changed', "UPDATE record SET key = 'kez' WHERE value = CAST('67' AS BLOB)"],
    ['whose headers changed', `UPDATE record SET headers = '{"a":"b"}' WHERE value = CAST('67' AS BLOB)`],
    ['whose timestamp changed', "UPDATE record SET timestamp = timestamp + 1 WHERE value = CAST('67' AS BLOB)"],
    ['whose epoch changed', "UPDATE record SET epoch = 9 WHERE value = CAST('67' AS BLOB)"],
    ['that is gone', "DELETE FROM record WHERE value = CAST('67' AS BLOB)"],
  ])('K6 names the first record %s, at start and in verify', async (_, statement) => {
    const log = await openLog();
    const positions = await append(log, ...Array.from({ length: 100 }, (_, i) => `${i}`));
    await log.close();
    expect(await verifySqliteLog(dir)).toBe(100);
    tamper(statement);
    const { partition, offset } = positions[67]!;
    for (const check of [() => openLog(), () => verifySqliteLog(dir)])
      await expect(check()).rejects.toMatchObject({
        code: 'ERR_LOG_CORRUPT',
        message: expect.stringContaining(`${topic}:${partition}:${offset} `),
      });
  });

  it('K6 stops a reader at a record that is gone, and does not step over it', async () => {
    const log = await openLog();
    const [, second] = await append(log, 'first', 'second', 'third');
    await log.close();
    tamper("DELETE FROM record WHERE value = CAST('second' AS BLOB)");
    const reader = await openLog({ role: 'reader' });
    const delivered: string[] = [];
    const { failed } = reader.follow(
      { [topic]: [0, 0] },
      ({ records }) => void delivered.push(...records.map(({ value }) => Buffer.from(value!).toString())),
    );
    await expect(failed).rejects.toMatchObject({
      code: 'ERR_LOG_CORRUPT',
      message: expect.stringContaining(`${second!.partition}:${second!.offset} `),
    });
    expect(delivered).toEqual(['first']);
  });

  it('K6 finds old damage in verify, which the start does not look for, and says how far it is', async () => {
    const log = await openLog();
    const positions: Position[] = [];
    for (let i = 0; i < 13; i++) positions.push(...(await append(log, ...Array.from({ length: 1_000 }, (_, n) => `${i}/${n}`))));
    await log.close();
    tamper("UPDATE record SET value = x'00' WHERE value = CAST('6/66' AS BLOB)");
    await (await openLog()).close();
    const progress: number[] = [];
    await expect(verifySqliteLog(dir, ({ checked, total }) => void progress.push(checked / total))).rejects.toMatchObject({
      message: expect.stringContaining(`:${positions[6_066]!.offset} `),
    });
    tamper("UPDATE record SET value = CAST('6/66' AS BLOB) WHERE value = x'00'");
    expect(await verifySqliteLog(dir, ({ checked, total }) => void progress.push(checked / total))).toBe(13_000);
    expect(progress.at(-1)).toBe(1);
  });

  it('K14 keeps the write-ahead file near its bound while a reader pages through the log', async () => {
    const log = await openLog();
    const reader = await openLog({ role: 'reader' });
    const value = Buffer.alloc(8_000, 120);
    let highest = 0;
    const calls = 100;
    const followed = collect(calls * 50);
    reader.follow({ [topic]: [0, 0] }, followed.take);
    for (let call = 0; call < calls; call++) {
      await log.append(
        topic,
        Array.from({ length: 50 }, (_, i) => ({ key: `${i}`, value, headers: {} })),
      );
      highest = Math.max(highest, statSync(join(dir, 'log.db-wal')).size);
    }
    await followed.all;
    expect(statSync(join(dir, 'log.db')).size).toBeGreaterThan(calls * 50 * 8_000 - 20 * 1024 * 1024);
    expect(highest).toBeLessThan(24 * 1024 * 1024);
  });
});
