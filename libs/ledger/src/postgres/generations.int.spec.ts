import pg from 'pg';
import { Projector } from '../projector.js';
import { RowChanges } from '../row-changes.js';
import type { LedgerStore } from '../store.js';
import { type SampleLog } from '../testing/sample-log.js';
import { sampleStory } from '../testing/sample-story.js';
import { isGenerationInUse } from './generation-use.js';
import { PostgresGenerations } from './generations.js';
import { schemaOf } from './schema.js';
import { specDatabases } from './testing/spec-database.js';

const newDatabase = specDatabases();
const opened: { close(): Promise<void> }[] = [];
let url: string;
let generations: PostgresGenerations;

beforeEach(async () => {
  url = await newDatabase();
  generations = closing(await PostgresGenerations.open({ url }));
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

function closing<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

async function sql<R extends object>(text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}

const ledgers = async () =>
  (await sql<{ name: string }>(`select nspname as name from pg_namespace where nspname like 'doorledger_%' order by 1`)).map((r) => r.name);
const forget = () => sql(`update doorledger.ledger_generation set retired_at = now() - interval '11 minutes' where retired_at is not null`);
const touch = (store: LedgerStore) => store.commit({ advances: [], changes: new RowChanges() });

async function fill(store: LedgerStore, log: SampleLog): Promise<void> {
  const projector = await Projector.open({ store, topics: log.topics });
  for (const batch of log.batches()) await projector.take(batch);
  await projector.close();
}

it('K11 names the ledger once, however many open it and however often it is rebuilt, and another one where its row is gone', async () => {
  const open = async () => closing(await PostgresGenerations.open({ url })).ledgerId;
  const { ledgerId } = generations;
  expect(ledgerId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await Promise.all([open(), open(), open()])).toEqual([ledgerId, ledgerId, ledgerId]);
  for (const step of ['openLive', 'openNext'] as const) closing((await generations[step]()).store);
  await generations.switchTo(2);
  expect(await open()).toBe(ledgerId);
  const other = closing(await PostgresGenerations.open({ url: await newDatabase() }));
  expect(other.ledgerId).not.toBe(ledgerId);
  await sql('delete from doorledger.ledger_identity');
  const renamed = await open();
  expect([renamed === ledgerId, await open()]).toEqual([false, renamed]);
});

it('X4 makes the first generation once, however many projectors start at the same time', async () => {
  const others = await Promise.all([1, 2, 3].map(async () => closing(await PostgresGenerations.open({ url }))));
  expect(await generations.live).toBeUndefined();
  const live = await Promise.all(others.map((one) => one.openLive()));
  for (const { store, generation } of live) {
    closing(store);
    expect(generation).toBe(1);
    expect(await touch(store)).toBe('committed');
  }
  expect(await ledgers()).toEqual([schemaOf(1)]);
});

it('X4 refuses to read a ledger that is not there yet, and says what to do', async () => {
  await expect(generations.openLiveReader()).rejects.toMatchObject({ code: 'ERR_LEDGER_MISSING' });
  await expect(generations.openBuilt(2)).rejects.toMatchObject({ code: 'ERR_LEDGER_MISSING' });
  await expect(generations.switchTo(2)).rejects.toMatchObject({ code: 'ERR_LEDGER_MISSING' });
});

it('X4 takes a rebuilt generation into use: nobody writes the one before, readers beside still see it, and it goes ten minutes later', async () => {
  const live = closing((await generations.openLive()).store);
  const beside = closing((await generations.openLiveReader()).store);
  const log = sampleStory();
  await fill(live, log);
  closing((await generations.openNext()).store);
  const next = closing(await generations.openBuilt(2));
  expect(await touch(next)).toBe('committed');
  await generations.switchTo(2);
  expect(await generations.live).toBe(2);
  expect(await touch(live)).toBe('stale');
  expect(await touch(next)).toBe('committed');
  expect(await beside.db.selectFrom('session').select('session_key').execute()).toHaveLength(12);
  expect(await ledgers()).toEqual([schemaOf(1), schemaOf(2)]);
  await forget();
  closing((await generations.openLive()).store);
  expect(await ledgers()).toEqual([schemaOf(2)]);
});

it('X4 waits with a switch for the commit under way, which stands', async () => {
  const { store } = await generations.openLive();
  closing(store);
  closing((await generations.openNext()).store);
  const commit = new pg.Client({ connectionString: url });
  await commit.connect();
  await commit.query('begin');
  expect(await isGenerationInUse(commit, 1)).toBe(true);
  let isSwitched = false;
  const switching = generations.switchTo(2).then(() => (isSwitched = true));
  for (let waiting = 0; waiting === 0;)
    waiting = (
      await sql(
        `select 1 from pg_locks join pg_database d on d.oid = database where datname = current_database() and locktype = 'advisory' and not granted`,
      )
    ).length;
  expect(isSwitched).toBe(false);
  await commit.query('commit');
  await switching;
  await commit.end();
  expect(await touch(store)).toBe('stale');
});

it('X0 goes on with what an interrupted replay has left, unless another release made it', async () => {
  closing((await generations.openLive()).store);
  const first = await generations.openNext();
  await fill(closing(first.store), sampleStory(3));
  const again = await generations.openNext();
  expect(again.generation).toBe(2);
  expect(await closing(again.store).db.selectFrom('projection_offset').selectAll().execute()).not.toEqual([]);
  await sql('update doorledger.ledger_generation set format = 1 where generation = 2');
  const anew = await generations.openNext();
  expect(await closing(anew.store).db.selectFrom('projection_offset').selectAll().execute()).toEqual([]);
});

it('X4 folds anew what an earlier release has made, and refuses what a newer one has', async () => {
  closing((await generations.openLive()).store);
  await sql('update doorledger.ledger_generation set format = 1');
  await expect(generations.openLiveReader()).rejects.toMatchObject({ code: 'ERR_LEDGER_OLDER' });
  const { store, generation } = await generations.openLive();
  closing(store);
  expect(generation).toBe(2);
  await sql('update doorledger.ledger_generation set format = 1000000 where is_live');
  await expect(generations.openLive()).rejects.toMatchObject({ code: 'ERR_LEDGER_NEWER' });
  await expect(generations.openLiveReader()).rejects.toMatchObject({ code: 'ERR_LEDGER_NEWER' });
  await sql(`update doorledger.part set version = 1000`);
  await expect(PostgresGenerations.open({ url })).rejects.toMatchObject({ code: 'ERR_LEDGER_NEWER' });
});

it('X0 remembers the last digest of a replay', async () => {
  expect(await generations.knownDigest).toBeUndefined();
  const digest = { generation: 2, sha256: 'ab', rows: 3, positions: { topic: [1, 2] } };
  await generations.rememberDigest({ ...digest, rows: 1 });
  await generations.rememberDigest(digest);
  expect(await generations.knownDigest).toEqual(digest);
});
