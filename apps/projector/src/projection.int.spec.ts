import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { replay } from '@doorledger/ledger';
import { PostgresGenerations } from '@doorledger/ledger/postgres';
import type { References } from '@doorledger/privacy';
import { specDatabases } from '../../../libs/ledger/src/postgres/testing/spec-database.js';
import type { SampleLog } from '../../../libs/ledger/src/testing/sample-log.js';
import { sampleStory } from '../../../libs/ledger/src/testing/sample-story.js';
import { Projection } from './projection.js';

const newDatabase = specDatabases();
const story = sampleStory();
let dir: string;
let log: EventLog;
let generations: PostgresGenerations;
let projection: Projection;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-projection-'));
  log = await openSqliteLog({ dir, role: 'writer', topics: story.topics });
  generations = await PostgresGenerations.open({ url: await newDatabase() });
  projection = new Projection();
  await projection.open({ log, generations, references: {} as References });
});
afterEach(async () => {
  await projection.close();
  await generations.close();
  await log.close();
  rmSync(dir, { recursive: true });
});

/** Appends these and hands what the ledger lacks to the projection, all partitions at once. */
async function projectAll(sample: SampleLog): Promise<void> {
  for (const { topic, records } of sample.batches())
    await log.append(
      topic,
      records.map(({ key, value, headers }) => ({ key, value: value!, headers })),
    );
  const taken: Promise<void>[] = [];
  const { applied } = projection.projector;
  for (const topic of log.topics.keys()) for await (const batch of log.read(topic, applied[topic]!)) taken.push(projection.take(batch));
  await Promise.all(taken);
}

it('X4 follows a switch that another process made, where it reads the whole log itself, and loses nothing', async () => {
  await projectAll(story);
  const { rebuilt } = await replay({ log, generations });
  await projectAll(sampleStory(5));
  await generations.switchTo(rebuilt.generation);
  await projectAll(sampleStory(3));
  expect(projection.generation).toBe(rebuilt.generation);
  expect(projection.problems).toEqual([]);
  expect(await replay({ log, generations })).toMatchObject({ isEqual: true, live: { generation: rebuilt.generation } });
});

it('L9 stops when another projector has moved a place of the same generation', async () => {
  const other = new Projection();
  await other.open({ log, generations, references: {} as References });
  await projectAll(story);
  const { topic, partition, records } = story.batches()[0]!;
  await expect(other.take({ topic, partition, records })).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
  expect(other.problems).toEqual([expect.stringContaining('Another projector')]);
  await other.close();
});

it('X4 fails no read and takes nothing back from a reader while a generation is taken into use', async () => {
  await projectAll(story);
  const { rebuilt } = await replay({ log, generations });
  await projectAll(sampleStory(5));
  const seen: number[] = [];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const { next } = await projection.store.db
        .selectFrom('projection_offset')
        .select(({ fn }) => fn.sum<number>('next').as('next'))
        .executeTakeFirstOrThrow();
      seen.push(Number(next));
    }
  })();
  while (seen.length < 3) await new Promise(setImmediate);
  await projection.switchTo(rebuilt.generation);
  await projectAll(sampleStory(2));
  const reads = seen.length;
  while (seen.length < reads + 3) await new Promise(setImmediate);
  isOver = true;
  await reading;
  expect(projection.generation).toBe(rebuilt.generation);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBeGreaterThan(seen[0]!);
});
