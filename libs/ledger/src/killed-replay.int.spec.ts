import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import type { Generations } from './generations.js';
import { PostgresGenerations } from './postgres/generations.js';
import { specDatabases } from './postgres/testing/spec-database.js';
import { Projector } from './projector.js';
import { LedgerGenerations } from './sqlite/generations.js';
import { replay } from './sqlite/replay.js';
import { sampleStory } from './testing/sample-story.js';

const newDatabase = specDatabases();
let dir: string;
let log: EventLog;
const opened: ChildProcess[] = [];
let database: PostgresGenerations | undefined;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-killed-'));
  const story = sampleStory();
  log = await openSqliteLog({ dir, role: 'writer', topics: story.topics });
  for (const { topic, records } of story.batches())
    await log.append(
      topic,
      records.map(({ key, value, headers }) => ({ key, value: value!, headers })),
    );
});
afterEach(async () => {
  for (const child of opened.splice(0)) child.kill('SIGKILL');
  await database?.close();
  database = undefined;
  await log.close();
  rmSync(dir, { recursive: true });
});

async function generationsOn(engine: 'SQLite' | 'PostgreSQL'): Promise<{ generations: Generations; url: string[] }> {
  if (engine === 'SQLite') return { generations: new LedgerGenerations(dir), url: [] };
  const url = await newDatabase();
  return { generations: (database = await PostgresGenerations.open({ url })), url: [url] };
}

async function project(generations: Generations): Promise<void> {
  const { store } = await generations.openLive();
  const projector = await Projector.open({ store, topics: log.topics });
  for (const topic of log.topics.keys()) for await (const batch of log.read(topic, projector.applied[topic]!)) await projector.take(batch);
  await projector.close();
  await store.close();
}

it.each(['SQLite', 'PostgreSQL'] as const)(
  'X0 goes on with what a replay that was killed has left, and lets nobody else build meanwhile: %s',
  async (engine) => {
    const { generations, url } = await generationsOn(engine);
    await project(generations);
    const child = spawn(process.execPath, [join(__dirname, 'testing/replaying-child.ts'), dir, ...url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    opened.push(child);
    await once(child.stdout, 'data');
    const refusal = await Promise.resolve()
      .then(() => generations.holdBuilding())
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: engine === 'SQLite' ? 'ERR_DATA_IN_USE' : 'ERR_LEDGER_BUILDING' });
    child.kill('SIGKILL');
    await once(child, 'close');
    const hold = await held(generations);
    const totals: number[] = [];
    const onProgress = ({ total }: { total: number }) => totals.push(total);
    expect(await replay({ log, generations, onProgress })).toMatchObject({ isEqual: true });
    await generations.discard(2);
    expect(await replay({ log, generations, onProgress })).toMatchObject({ isEqual: true });
    expect(totals[0]).toBeLessThan(totals[totals.length - 1]!);
    await hold.close();
  },
);

/** A database notices a moment later that a client was killed. */
async function held(generations: Generations): Promise<{ close(): Promise<void> }> {
  for (;;) {
    try {
      return await generations.holdBuilding();
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_LEDGER_BUILDING') throw error;
    }
  }
}
