import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { Projector } from '../projector.js';
import { RowChanges } from '../row-changes.js';
import type { LedgerStore } from '../store.js';
import { sampleStory } from '../testing/sample-story.js';
import { LedgerGenerations } from './generations.js';
import { replay } from './replay.js';

let dir: string;
let log: EventLog;
let generations: LedgerGenerations;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-replay-'));
  generations = new LedgerGenerations(dir);
  const story = sampleStory();
  log = await openSqliteLog({ dir, role: 'writer', topics: story.topics });
  for (const { topic, records } of story.batches(5))
    await log.append(
      topic,
      records.map(({ key, value, headers }) => ({ key, value: value!, headers })),
    );
});
afterEach(async () => {
  await log.close();
  rmSync(dir, { recursive: true });
});

/** Projects the log as a running process would, up to its end. */
async function projectLive(): Promise<void> {
  const { store } = generations.openLive();
  const projector = await Projector.open({ store, topics: log.topics });
  for (const topic of log.topics.keys()) for await (const batch of log.read(topic, projector.applied[topic]!)) await projector.take(batch);
  await projector.close();
  await store.close();
}

async function tamper(store: LedgerStore): Promise<void> {
  const changes = new RowChanges();
  changes.put('host', { host_id: 'host-1', boot_id: 'never there' });
  await store.commit({ advances: [], changes });
  await store.close();
}

it('X0 folds the log into a new generation with the digest of the live one', async () => {
  await projectLive();
  const steps: [number, number][] = [];
  const result = await replay({ log, generations, onProgress: ({ done, total }) => steps.push([done, total]) });
  expect(result).toMatchObject({ isEqual: true, live: { generation: 1 }, rebuilt: { generation: 2 } });
  expect(result.live.rows).toBeGreaterThan(100);
  const [done, total] = steps[steps.length - 1]!;
  expect(done).toBe(total);
  expect(generations.live).toBe(1);
  expect(generations.knownDigest).toEqual({ ...result.rebuilt, positions: result.positions });
});

it('X0 stops exactly at the live places, whatever the log holds past them', async () => {
  await projectLive();
  const more = sampleStory(3);
  for (const { topic, records } of more.batches())
    await log.append(
      topic,
      records.map(({ key, value, headers }) => ({ key, value: value!, headers })),
    );
  expect(await replay({ log, generations })).toMatchObject({ isEqual: true });
});

it('X0 finds a live ledger that is not what the log says', async () => {
  await projectLive();
  await tamper(generations.openLive().store);
  expect(await replay({ log, generations })).toMatchObject({ isEqual: false });
});

it('X0 goes on with what an interrupted replay has left', async () => {
  await projectLive();
  const interrupt = new AbortController();
  await expect(replay({ log, generations, onProgress: () => interrupt.abort(), signal: interrupt.signal })).rejects.toThrow();
  const totals: number[] = [];
  const onProgress = ({ total }: { total: number }) => totals.push(total);
  expect(await replay({ log, generations, onProgress })).toMatchObject({ isEqual: true });
  generations.discard(2);
  expect(await replay({ log, generations, onProgress })).toMatchObject({ isEqual: true });
  expect(totals[0]).toBeLessThan(totals[totals.length - 1]!);
});

it('X0 begins anew where what is left is past the live places', async () => {
  await projectLive();
  await replay({ log, generations });
  generations.discard(1);
  await generations.openLive().store.close();
  expect(await replay({ log, generations })).toMatchObject({ isEqual: true, rebuilt: { generation: 2 } });
});

it('X0 takes a generation into use and removes the others', async () => {
  await projectLive();
  await replay({ log, generations });
  generations.switchTo(2);
  expect(generations.live).toBe(2);
  expect(readdirSync(dir).filter((name) => name.startsWith('ledger.'))).toEqual(['ledger.2.db', 'ledger.current', 'ledger.digest']);
  const { store, generation } = generations.openLive();
  expect(generation).toBe(2);
  expect(await store.db.selectFrom('session').selectAll().execute()).toHaveLength(12);
  await store.close();
});

it('K14 folds anew what an earlier schema or fold has made', async () => {
  await projectLive();
  const file = new Database(join(dir, 'ledger.1.db'));
  file.pragma('user_version = 1');
  file.close();
  const { store, generation } = generations.openLive();
  expect(generation).toBe(2);
  expect(await store.db.selectFrom('projection_offset').selectAll().execute()).toEqual([]);
  await store.close();
  expect(generations.live).toBe(2);
  expect(existsSync(join(dir, 'ledger.1.db'))).toBe(false);
});

it('K14 makes a ledger that is gone anew, and refuses a file that is none', async () => {
  await projectLive();
  generations.discard(1);
  const { store } = generations.openLive();
  expect(await store.db.selectFrom('projection_offset').selectAll().execute()).toEqual([]);
  await store.close();
  generations.discard(1);
  writeFileSync(join(dir, 'ledger.1.db'), 'not a ledger at all, but some text that somebody put here');
  expect(() => generations.openLive()).toThrow(expect.objectContaining({ code: 'ERR_FILE_FOREIGN' }));
});

it('X4 refuses to read a ledger that is not there yet, and says what to do', () => {
  expect(() => generations.openLiveReader()).toThrow(expect.objectContaining({ code: 'ERR_LEDGER_MISSING' }));
});
