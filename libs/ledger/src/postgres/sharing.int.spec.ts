import { topics } from '@doorledger/contracts';
import type { LogPositions, RecordBatch, StoredRecord } from '@doorledger/event-log';
import fc from 'fast-check';
import pg from 'pg';
import { Projector } from '../projector.js';
import type { LedgerStore } from '../store.js';
import { sampleStory } from '../testing/sample-story.js';
import { closeTemporaryLedgers, digestOf, project, temporaryLedger } from '../testing/temporary-ledger.js';
import { isGenerationInUse } from './generation-use.js';
import { PostgresGenerations } from './generations.js';
import { openPostgresLedger } from './postgres-store.js';
import { specDatabases } from './testing/spec-database.js';

const newDatabase = specDatabases();
const log = sampleStory(16);
const partitions = log.batches(1_000_000);
const stores: LedgerStore[] = [];
let url: string;
let expected: string;

beforeAll(async () => {
  const sqlite = temporaryLedger();
  await project(sqlite, log);
  expected = await digestOf(sqlite);
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});
afterAll(closeTemporaryLedgers);

async function newLedger(): Promise<void> {
  url = await newDatabase();
  const generations = await PostgresGenerations.open({ url });
  stores.push((await generations.openLive()).store);
  await generations.close();
}

/** A projector with connections of its own, as in a process of its own, and a reader that delivers to it. */
class Process {
  places: LogPositions = {};
  losses = 0;

  private constructor(
    readonly store: LedgerStore,
    readonly projector: Projector,
  ) {}

  static async start(): Promise<Process> {
    const store = openPostgresLedger({ address: { url }, generation: 1 });
    stores.push(store);
    const process = new Process(store, await Projector.open({ store, topics: log.topics, gatherMs: 0, isShared: true }));
    await process.takeUp();
    return process;
  }

  async takeUp(): Promise<void> {
    this.places = structuredClone(await this.projector.takeUp());
  }

  /** Reads some of the partition from where this one has read; a lost compare-and-set has it begin anew. */
  async read({ topic, partition, records }: RecordBatch, count: number): Promise<void> {
    const places = this.places[topic] as number[];
    const some: StoredRecord[] = records.slice(places[partition], places[partition]! + count);
    if (some.length === 0) return;
    places[partition] = some[some.length - 1]!.offset + 1;
    try {
      await this.projector.take({ topic, partition, records: some });
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
      this.losses++;
    }
  }
}

it('K11 and X0 give one digest whichever projector folds which partition when, even where both believe that it is theirs', async () => {
  let losses = 0;
  const step = fc.record({
    at: fc.nat(partitions.length - 1),
    count: fc.integer({ min: 1, max: 6 }),
    by: fc.constantFrom('first', 'first', 'second', 'second', 'both' as const),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 20, maxLength: 40 }), async (rounds) => {
      await newLedger();
      const [first, second] = [await Process.start(), await Process.start()];
      const owners = new Map<RecordBatch, Process>();
      for (const round of rounds) {
        const before = [first.losses, second.losses];
        for (const { at, by } of round) {
          const owner = by === 'first' ? first : second;
          if (owners.get(partitions[at]!) === owner) continue;
          owners.set(partitions[at]!, owner);
          await owner.takeUp();
        }
        await Promise.all(
          round.flatMap(({ at, count, by }) =>
            [first, second]
              .filter((one) => by === 'both' || one === (by === 'first' ? first : second))
              .map((one) => one.read(partitions[at]!, count)),
          ),
        );
        for (const [i, one] of [first, second].entries()) if (one.losses > before[i]!) await one.takeUp();
      }
      await second.takeUp();
      for (const partition of partitions) await second.read(partition, partition.records.length);
      for (const { projector } of [first, second]) expect(projector.health).toMatchObject({ faults: [], stoppedBy: undefined });
      expect(await digestOf(second.store)).toBe(expected);
      losses += first.losses + second.losses;
    }),
    { numRuns: 6 },
  );
  expect(losses).toBeGreaterThan(0);
}, 120_000);

it('K11 and X3 make no row of records that another projector took away meanwhile', async () => {
  await newLedger();
  const [first, second] = [await Process.start(), await Process.start()];
  const system = partitions.filter(({ topic }) => topic === topics.system.name);
  for (const partition of system) await first.read(partition, partition.records.length);
  for (const partition of partitions) await second.read(partition, system.includes(partition) ? 0 : partition.records.length);
  expect(await second.store.db.selectFrom('message').select('offset').where('offset', '<', 2).execute()).toEqual([]);
  expect(await digestOf(second.store)).toBe(expected);
});

it('X3 waits with taking records away for the commits under way', async () => {
  await newLedger();
  const [first, second] = [await Process.start(), await Process.start()];
  const [commit, watch] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  for (const client of [commit, watch]) await client.connect();
  await commit.query('begin');
  expect(await isGenerationInUse(commit, 1)).toBe(true);
  const [other] = partitions.filter(({ topic }) => topic === topics.session.name);
  const [system] = partitions.filter(({ topic }) => topic === topics.system.name);
  await second.read(other!, 1);
  let isCut = false;
  const cut = first.read(system!, system!.records.length).then(() => (isCut = true));
  const blocked = 'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
  while ((await watch.query(blocked)).rowCount === 0);
  expect(isCut).toBe(false);
  await commit.query('commit');
  await cut;
  for (const client of [commit, watch]) await client.end();
});

it('K11 and P3 tell of a partition that another projector folds', async () => {
  await newLedger();
  const [first, second] = [await Process.start(), await Process.start()];
  const [partition] = partitions;
  const { topic, partition: number, records } = partition!;
  const reached = first.projector.reach({ topic, partition: number, offset: records.length - 1 }, 30_000);
  await second.read(partition!, records.length);
  expect(await reached).toBe(true);
  expect((await first.projector.places())[topic]![number]).toBe(records.length);
});
