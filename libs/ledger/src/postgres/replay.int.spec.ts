import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { Projector } from '../projector.js';
import { RowChanges } from '../row-changes.js';
import { replay } from '../sqlite/replay.js';
import { sampleStory } from '../testing/sample-story.js';
import { PostgresGenerations } from './generations.js';
import { specDatabases } from './testing/spec-database.js';

const newDatabase = specDatabases();
let dir: string;
let log: EventLog;
let generations: PostgresGenerations;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-replay-'));
  generations = await PostgresGenerations.open({ url: await newDatabase() });
  const story = sampleStory();
  log = await openSqliteLog({ dir, role: 'writer', topics: story.topics });
  for (const { topic, records } of story.batches(5))
    await log.append(
      topic,
      records.map(({ key, value, headers }) => ({ key, value: value!, headers })),
    );
  await projectLive();
});
afterEach(async () => {
  await generations.close();
  await log.close();
  rmSync(dir, { recursive: true });
});

async function projectLive(): Promise<void> {
  const { store } = await generations.openLive();
  const projector = await Projector.open({ store, topics: log.topics });
  for (const topic of log.topics.keys()) for await (const batch of log.read(topic, projector.applied[topic]!)) await projector.take(batch);
  await projector.close();
  await store.close();
}

it('X0 folds the log into a new generation with the digest of the live one, and takes it into use', async () => {
  const result = await replay({ log, generations });
  expect(result).toMatchObject({ isEqual: true, live: { generation: 1 }, rebuilt: { generation: 2 } });
  expect(result.live.rows).toBeGreaterThan(100);
  expect(await generations.live).toBe(1);
  expect(await generations.knownDigest).toEqual({ ...result.rebuilt, positions: result.positions });
  await generations.switchTo(2);
  await projectLive();
  expect(await replay({ log, generations })).toMatchObject({ isEqual: true, live: { generation: 2 }, rebuilt: { generation: 3 } });
});

it('X0 finds a live ledger that is not what the log says', async () => {
  const { store } = await generations.openLive();
  const changes = new RowChanges();
  changes.put('host', { host_id: 'host-1', boot_id: 'never there' });
  await store.commit({ advances: [], changes });
  await store.close();
  expect(await replay({ log, generations })).toMatchObject({ isEqual: false });
});

it('X0 goes on with what an interrupted replay has left', async () => {
  const interrupt = new AbortController();
  await expect(replay({ log, generations, onProgress: () => interrupt.abort(), signal: interrupt.signal })).rejects.toThrow();
  const totals: number[] = [];
  const onProgress = ({ total }: { total: number }) => totals.push(total);
  expect(await replay({ log, generations, onProgress })).toMatchObject({ isEqual: true });
  await generations.discard(2);
  expect(await replay({ log, generations, onProgress })).toMatchObject({ isEqual: true });
  expect(totals[0]).toBeLessThan(totals[totals.length - 1]!);
});
