import fc from 'fast-check';
import pg from 'pg';
import { Projector } from '../projector.js';
import { RowChanges } from '../row-changes.js';
import type { Advance, LedgerStore } from '../store.js';
import { type SampleLog } from '../testing/sample-log.js';
import { sampleStory } from '../testing/sample-story.js';
import { closeTemporaryLedgers, digestOf, project, temporaryLedger } from '../testing/temporary-ledger.js';
import { PostgresGenerations } from './generations.js';
import { openPostgresLedger } from './postgres-store.js';
import { losingProxy, type LosingProxy } from './testing/losing-proxy.js';
import { specServer } from './testing/spec-database.js';

const server = specServer();
let databases = 0;
let url: string;
let store: LedgerStore;
const stores: LedgerStore[] = [];

/** A database that sorts text as people do, unless it is told otherwise. */
async function newDatabase(): Promise<string> {
  const name = `ledger${++databases}`;
  const client = new pg.Client({ connectionString: server().url() });
  await client.connect();
  await client.query(`create database ${name} template template0 locale_provider icu icu_locale 'en-US'`);
  await client.end();
  return server().url(name);
}

beforeEach(async () => {
  url = await newDatabase();
  const generations = await PostgresGenerations.open({ url });
  ({ store } = await generations.openLive());
  stores.push(store);
  await generations.close();
});
afterEach(async () => {
  for (const one of stores.splice(0)) await one.close();
  await closeTemporaryLedgers();
});

function another(address = url): LedgerStore {
  const one = openPostgresLedger({ address: { url: address }, generation: 1 });
  stores.push(one);
  return one;
}

async function digestInSqlite(log: SampleLog): Promise<string> {
  const sqlite = temporaryLedger();
  await project(sqlite, log);
  return digestOf(sqlite);
}

it('X0 gives one log the same digest in PostgreSQL and in SQLite, however it was cut into commits', async () => {
  const log = sampleStory(30);
  const expected = await digestInSqlite(log);
  await project(store, log);
  expect(await digestOf(store)).toBe(expected);
  const generations = await PostgresGenerations.open({ url });
  const { store: next } = await generations.openNext();
  stores.push(next);
  await generations.close();
  await project(next, log, log.batches(3));
  expect(await digestOf(next)).toBe(expected);
});

it('X0 gives text of any letters the same digest in PostgreSQL and in SQLite', async () => {
  const sqlite = temporaryLedger();
  const letter = fc.constantFrom('', 'a', 'B', 'b', '_', '-', ' ', 'é', 'ß', 'ﬀ', '\uffee', '🦊', '\u0000', '\ud800', "'", '"', '\\', '{');
  const name = fc.array(letter, { maxLength: 4 }).map((letters) => letters.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, name, fc.option(name)), { minLength: 1, maxLength: 30 }), async (hosts) => {
      for (const one of [store, sqlite]) {
        const changes = new RowChanges();
        for (const [host_id, boot_id, version] of hosts) changes.put('host', { host_id, boot_id, version });
        await one.commit({ advances: [], changes });
      }
      expect(await digestOf(store)).toBe(await digestOf(sqlite));
    }),
    { numRuns: 30 },
  );
});

it('L9 loses nothing when the server is killed in the middle of projecting, and the projector goes on', async () => {
  const log = sampleStory(60);
  let outages = 0;
  const projector = await Projector.open({ store, topics: log.topics, maxRecords: 10, retryMs: 20, onOutage: () => outages++ });
  let commits = 0;
  const killed = new Promise<void>((resolve, reject) => {
    projector.onApplied(() => {
      if (++commits === 5 || commits === 20)
        void server()
          .kill()
          .then(() => server().restart())
          .then(commits < 20 ? undefined : resolve, reject);
    });
  });
  await Promise.all([...log.batches(7).map((batch) => projector.take(batch)), killed]);
  await projector.close();
  expect(outages).toBeGreaterThan(0);
  expect(projector.health).toMatchObject({ faults: [], outage: undefined });
  expect(await digestOf(store)).toBe(await digestInSqlite(log));
});

it('L9 lets one of two projectors win each partition, and the rows are those of one', async () => {
  const log = sampleStory(40);
  const racers = await Promise.all([store, another()].map((one) => Projector.open({ store: one, topics: log.topics, maxRecords: 7 })));
  const outcomes = await Promise.all(
    racers.map(async (projector) => {
      try {
        for (const batch of log.batches(7)) await projector.take(batch);
        return 'done';
      } catch (error) {
        return (error as { code?: string }).code;
      }
    }),
  );
  await Promise.all(racers.map((projector) => projector.close()));
  expect(outcomes).toContain('ERR_LEDGER_TAKEN');
  await project(store, log);
  expect(await digestOf(store)).toBe(await digestInSqlite(log));
});

describe('a commit whose answer is lost', () => {
  const move: readonly Advance[] = [{ topic: 'topic', partition: 0, from: 0, to: { next: 3, epoch: 1, timestamp: 5, T: 7 } }];
  let proxy: LosingProxy;
  let far: LedgerStore;
  beforeEach(async () => {
    proxy = await losingProxy(url);
    far = another(proxy.url);
  });
  afterEach(() => proxy.close());

  const commit = (changes = new RowChanges()) => far.commit({ advances: move, changes });
  /** Until some transaction waits for the one of the lost commit. */
  async function untilBlocked(): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    while ((await client.query(`select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0`)).rowCount === 0);
    await client.end();
  }

  it('L9 rejects, for nobody knows whether it happened', async () => {
    const { isLost, deliver } = proxy.loseCommit();
    const lost = commit();
    await isLost;
    await expect(lost).rejects.toThrow();
    expect(await store.db.selectFrom('projection_offset').selectAll().execute()).toEqual([]);
    deliver();
    while ((await store.db.selectFrom('projection_offset').selectAll().execute()).length === 0);
  });

  it('L9 counts once although it ends only while it is tried again', async () => {
    const { isLost, deliver } = proxy.loseCommit();
    const lost = commit();
    await isLost;
    await expect(lost).rejects.toThrow();
    const again = commit();
    await untilBlocked();
    deliver();
    expect(await again).toBe('committed');
    expect(await store.db.selectFrom('projection_offset').select('next').execute()).toEqual([{ next: 3 }]);
    expect(await commit()).toBe('stale');
  });

  it('L9 stays stale where another projector went on meanwhile', async () => {
    const { isLost, drop } = proxy.loseCommit();
    const lost = commit();
    await isLost;
    await expect(lost).rejects.toThrow();
    const other = store.commit({ advances: [{ ...move[0]!, to: { ...move[0]!.to, next: 9 } }], changes: new RowChanges() });
    await untilBlocked();
    drop();
    expect(await other).toBe('committed');
    expect(await commit()).toBe('stale');
  });
});
