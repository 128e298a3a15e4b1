import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventOf, topics, type AnyFactEvent, type Fact } from '@doorledger/contracts';
import { DuckDBInstance } from '@duckdb/node-api';
import { partitionOf, type EventLog } from '@doorledger/event-log';
import { runCli } from './testing/run-cli.js';
import { openWriter } from './testing/sample-log.js';

jest.setTimeout(60_000);
const UUID = '00000000-0000-4000-8000-000000000001';
const SESSION = 'ab'.repeat(16);
const AT = Date.parse('2026-02-03T04:05:06.789Z');

let cwd: string;
let log: EventLog;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'doorledger-export-'));
  log = await openWriter(join(cwd, 'data'));
});
afterEach(async () => {
  await log.close();
  rmSync(cwd, { recursive: true });
});

const eventFor = (fact: Fact) => eventOf(fact, { source: '/doorledger/test/host', now: () => AT }) as AnyFactEvent;
const recorded = (seq: number): Fact => ({
  type: 'ingress.recorded',
  data: {
    at: AT,
    door: 'turn',
    outcome: 'served',
    sessionRef: SESSION,
    bearerPresent: false,
    durationMs: 12,
    hostId: 'host',
    bootId: UUID,
    seq,
  },
});
const append = (topic: string, key: string, event: AnyFactEvent) => log.append(topic, [{ key, ...encode(event) }]);

/** What DuckDB reads of an exported file: types by column, and rows. */
async function read(path: string): Promise<{ types: Record<string, string>; rows: Record<string, unknown>[] }> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const reader = await connection.runAndReadAll(`FROM '${join(cwd, path)}'`);
    const types = Object.fromEntries(reader.columnNames().map((name, i) => [name, String(reader.columnType(i))]));
    return { types, rows: reader.getRowObjectsJson() };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const bad = (value: string): { key: string; value: Buffer; headers: Record<string, string> } => ({
  key: SESSION,
  value: Buffer.from(value),
  headers: { ce_type: 'ingress.recorded', ce_id: 'broken\u0000', ce_subject: 'host' },
});

async function seeded(): Promise<void> {
  await append(topics.ingress.name, SESSION, eventFor(recorded(1)));
  const [whole] = [eventFor(recorded(2))];
  const planted = [
    '{"half',
    '[]',
    JSON.stringify({ ...whole, type: 'messages.added' }),
    JSON.stringify({ ...whole, data: { ...whole.data, seq: 'two' } }),
    JSON.stringify({ ...whole, time: '2026-99-99T00:00:00Z' }),
    JSON.stringify({ ...whole, data: { ...whole.data, at: 1e300 } }),
  ];
  await log.append(topics.ingress.name, planted.map(bad));
  await append(topics.ingress.name, SESSION, eventFor(recorded(3)));
  const claimed = {
    turnId: UUID,
    runId: UUID,
    hostId: 'host',
    bootId: UUID,
    after: null,
    idempotency: { key: 'cd'.repeat(32), body: 'ef'.repeat(32) },
  };
  await append(topics.session.name, SESSION, eventFor({ type: 'turn.claimed', data: claimed }));
  await append(topics.session.name, UUID, eventFor({ type: 'turn.renewed', data: { turnId: UUID, runId: UUID } }));
}

it('X4 and L8 export typed columns that DuckDB reads back as they are on the log; bad records break nothing and are told of', async () => {
  await seeded();
  const { code, stdout, stderr } = await runCli(['export', '--format', 'parquet', '--out', 'facts'], { cwd });
  expect([code, stdout, stderr.split('\n').slice(-3, -1)]).toEqual([
    0,
    '',
    ['Wrote 4 facts into 42 files.', 'Records that are no facts: 6. unreadable.parquet says where they lie.'],
  ]);
  const { types, rows } = await read('facts/ingress.recorded.parquet');
  expect(types).toMatchObject({
    log_topic: 'VARCHAR',
    log_offset: 'BIGINT',
    log_time: 'TIMESTAMP WITH TIME ZONE',
    at: 'TIMESTAMP WITH TIME ZONE',
    bearer_present: 'BOOLEAN',
    seq: 'BIGINT',
  });
  const partition = partitionOf(SESSION, 4);
  expect(rows).toEqual([
    expect.objectContaining({ log_partition: String(partition), log_offset: '0', seq: '1', session_ref: SESSION, user_ref: null }),
    expect.objectContaining({
      log_offset: '7',
      seq: '3',
      at: '2026-02-03 04:05:06.789+00',
      event_time: '2026-02-03 04:05:06.789+00',
      bearer_present: false,
    }),
  ]);
  expect((await read('facts/turn.claimed.parquet')).rows).toMatchObject([
    { session_ref: SESSION, after: null, idempotency_key: 'cd'.repeat(32), wait: null },
  ]);
  expect((await read('facts/turn.renewed.parquet')).rows).toMatchObject([{ session_ref: null, log_key: UUID, turn_id: UUID }]);
  expect((await read('facts/grant.used.parquet')).rows).toEqual([]);
  expect((await read('facts/unreadable.parquet')).rows.map(({ log_offset, why, event_type }) => [log_offset, why, event_type])).toEqual([
    ['1', 'no JSON object with data', 'ingress.recorded'],
    ['2', 'no JSON object with data', 'ingress.recorded'],
    ['3', 'a type that is not known on its topic', 'ingress.recorded'],
    ['4', 'breaks its schema at /data/seq (type)', 'ingress.recorded'],
    ['5', 'a number or a time that no column holds', 'ingress.recorded'],
    ['6', 'a number or a time that no column holds', 'ingress.recorded'],
  ]);
});

it('X4 writes the same as CSV, of the topics and from the place that were asked for', async () => {
  await seeded();
  const from = `ingress:${partitionOf(SESSION, 4)}:7`;
  expect((await runCli(['export', '--format', 'csv', '--topic', 'ingress', '--from', from, '--out', 'late'], { cwd })).code).toBe(0);
  expect(readdirSync(join(cwd, 'late')).sort()).toEqual(['ingress.counted.csv', 'ingress.recorded.csv', 'unreadable.csv']);
  const { rows } = await read('late/ingress.recorded.csv');
  expect(rows).toMatchObject([{ seq: '3', session_ref: SESSION, bearer_present: false, at: '2026-02-03 04:05:06.789+00' }]);
});

it('X4 leaves a folder alone that holds something, and leaves nothing of an export that failed', async () => {
  mkdirSync(join(cwd, 'held'));
  writeFileSync(join(cwd, 'held/mine'), '');
  for (const args of [['--out', 'held'], ['--out', 'no/such/folder'], []]) {
    const { code, stderr } = await runCli(['export', '--format', 'parquet', ...args], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\(ERR_EXPORT_FILE\)\n$/) as string]);
  }
  const private_ = await runCli(['export', '--format', 'parquet', '--topic', 'private', '--out', 'secrets'], { cwd });
  expect([private_.code, private_.stderr]).toEqual([1, expect.stringContaining('ERR_NOT_PUBLIC') as string]);
  expect(readdirSync(join(cwd, 'held'))).toEqual(['mine']);
  expect(['secrets', 'secrets.partial', 'held.partial'].filter((name) => existsSync(join(cwd, name)))).toEqual([]);
});
