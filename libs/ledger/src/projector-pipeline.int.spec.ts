import { Worker } from 'node:worker_threads';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { Projector, type ProjectorOptions } from './projector.js';
import type { LedgerStore } from './store.js';
import { SampleLog } from './testing/sample-log.js';
import { SampleSession } from './testing/sample-facts.js';
import { sampleStory } from './testing/sample-story.js';
import { closeTemporaryLedgers, digestOf, project, temporaryLedger } from './testing/temporary-ledger.js';

afterEach(closeTemporaryLedgers);
afterEach(() => jest.restoreAllMocks());

type Outcome = 'committed' | 'stale';

/** A store whose commits wait: each is listed with what lets it go on, in its own way or as told. */
class HeldStore implements LedgerStore {
  readonly #store: LedgerStore;
  readonly held: { readonly next: number[]; go(as?: () => Promise<Outcome>): void }[] = [];
  #told?: () => void;
  isReleased = false;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  get db(): LedgerStore['db'] {
    return this.#store.db;
  }

  snapshot: LedgerStore['snapshot'] = (read) => this.#store.snapshot(read);
  close = (): Promise<void> => this.#store.close();

  commit: LedgerStore['commit'] = (commit) => {
    const write = () => this.#store.commit(commit);
    if (this.isReleased) return write();
    return new Promise((resolve) => {
      let isGone = false;
      const go = (as = write): void => {
        if (!isGone) resolve(as());
        isGone = true;
      };
      this.held.push({ next: commit.advances.map(({ to }) => to.next), go });
      this.#told?.();
    });
  };

  /** Resolves when so many commits were begun. */
  async begun(count: number): Promise<void> {
    while (this.held.length < count) await new Promise<void>((resolve) => (this.#told = resolve));
  }

  release(): void {
    this.isReleased = true;
    for (const { go } of this.held) go();
  }
}

const away = () => Promise.reject<Outcome>(new Error('away'));
const open = (store: LedgerStore, log: SampleLog, more: Partial<ProjectorOptions> = {}) =>
  Projector.open({ store, topics: log.topics, retryMs: 1, gatherMs: 0, ...more });

/** Long enough for whatever would happen without a wait. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await nextTurn();
}

/** One session's turns, one record per batch. */
function oneSession(turns = 4): { log: SampleLog; batches: RecordBatch[] } {
  const log = new SampleLog();
  const session = new SampleSession(log, 's');
  for (let i = 0; i < turns; i++) {
    session.claim(`t${i}`, `r${i}`);
    session.renew(`t${i}`, `r${i}`);
    session.fail(`t${i}`, `r${i}`);
  }
  return { log, batches: log.batches(1) };
}

async function referenceOf(log: SampleLog): Promise<string> {
  const reference = temporaryLedger();
  await project(reference, log);
  return digestOf(reference);
}

/** A projector with one commit begun and the next one folded. */
async function pipeline(batches: readonly RecordBatch[], log: SampleLog, more: Partial<ProjectorOptions> = {}) {
  const store = new HeldStore(temporaryLedger());
  const projector = await open(store, log, more);
  const first = projector.take(batches[0]!);
  await store.begun(1);
  const second = projector.take(batches[1]!);
  await settle();
  const at = { topic: batches[0]!.topic, partition: batches[0]!.partition };
  return { store, projector, first, second, at, applied: () => projector.applied[at.topic]![at.partition] };
}

it('L9 begins a commit only when the one before is in the ledger, and counts none before its time', async () => {
  const { log, batches } = oneSession();
  const { store, projector, first, second, at, applied } = await pipeline(batches, log);
  const seen: number[] = [];
  projector.onApplied((_topic, _partition, next) => seen.push(next));
  expect(store.held.map(({ next }) => next)).toEqual([[1]]);
  expect([applied(), await projector.reach({ ...at, offset: 0 }, 1)]).toEqual([0, false]);
  store.held[0]!.go();
  await first;
  await store.begun(2);
  expect(store.held[1]!.next).toEqual([2]);
  expect([applied(), seen]).toEqual([1, [1]]);
  store.held[1]!.go();
  await second;
  expect([applied(), seen]).toEqual([2, [1, 2]]);
});

it('X0 folds on what the commits before will leave: one digest, however many are under way', async () => {
  const { log, batches } = oneSession();
  const store = new HeldStore(temporaryLedger());
  const projector = await open(store, log, { maxRecords: 1 });
  const taken = Promise.all(batches.map((batch) => projector.take(batch)));
  for (let i = 0; i < batches.length; i++) {
    await store.begun(i + 1);
    await settle();
    store.held[i]!.go();
  }
  await taken;
  expect(await digestOf(store)).toBe(await referenceOf(log));
});

it('L9 folds one commit ahead and no more', async () => {
  const { log, batches } = oneSession();
  const folded = new Set<number>();
  for (const { records } of batches) {
    const { decoded, offset } = records[0]!;
    Object.defineProperty(records[0], 'decoded', { get: () => (folded.add(offset), decoded) });
  }
  const { store, projector } = await pipeline(batches, log, { maxRecords: 1 });
  const later = batches.slice(2).map((batch) => projector.take(batch));
  await settle();
  expect([...folded]).toEqual([0, 1]);
  store.release();
  await Promise.all(later);
  expect(folded.size).toBe(batches.length);
});

it('L9 stops everything at a stale commit, what was folded on it too', async () => {
  const { log, batches } = oneSession();
  const { store, projector, first, second, applied } = await pipeline(batches, log);
  store.held[0]!.go(async () => 'stale');
  for (const taken of [first, second, projector.take(batches[2]!)]) await expect(taken).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
  expect([store.held.length, applied()]).toEqual([1, 0]);
  expect(projector.health.stoppedBy).toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
});

it('L9 waits through an outage with the next commit folded, says so meanwhile, and drops neither', async () => {
  const { log, batches } = oneSession();
  const store = new HeldStore(temporaryLedger());
  const projector = await open(store, log);
  const first = projector.take(batches[0]!);
  await store.begun(1);
  store.held[0]!.go(away);
  await store.begun(2);
  const later = batches.slice(1).map((batch) => projector.take(batch));
  await settle();
  expect(store.held.map(({ next }) => next)).toEqual([[1], [1]]);
  expect(projector.health.outage).toMatchObject({ message: 'away' });
  store.release();
  await Promise.all([first, ...later]);
  expect(projector.health.outage).toBeUndefined();
  expect(await digestOf(store)).toBe(await referenceOf(log));
});

it('L9 leaves what is folded and not committed on the log when it is closed', async () => {
  const { log, batches } = oneSession();
  const { store, projector, first, second } = await pipeline(batches, log);
  const refused = expect(second).rejects.toMatchObject({ code: 'ERR_LEDGER_CLOSED' });
  const closed = projector.close();
  store.held[0]!.go();
  await Promise.all([first, closed, refused]);
  expect(store.held).toHaveLength(1);
  store.release();
  await project(store, log);
  expect(await digestOf(store)).toBe(await referenceOf(log));
});

it('L9 stops only the partition of a bug while a commit of it is under way', async () => {
  const log = sampleStory();
  const faults: unknown[] = [];
  const [healthy, before, poisoned] = [
    log.batches().find(({ topic }) => topic === topics.session.name)!,
    ...log.batches(2).filter(({ topic, partition }) => topic === topics.ingress.name && partition === 0),
  ] as [RecordBatch, RecordBatch, RecordBatch];
  Object.defineProperty(poisoned.records[0], 'decoded', {
    get: () => {
      throw new TypeError('a bug');
    },
  });
  const { store, projector, first, second } = await pipeline([before, poisoned], log, { onFault: (fault) => faults.push(fault) });
  const third = projector.take(healthy);
  expect(faults).toMatchObject([{ topic: topics.ingress.name, partition: 0, offset: 2 }]);
  store.release();
  await Promise.all([first, second, third]);
  expect(projector.applied[topics.ingress.name]![0]).toBe(2);
  expect(projector.applied[healthy.topic]![healthy.partition]).toBe(healthy.records.length);
});

it('X4 works between commits when all that was folded is in the ledger', async () => {
  const { log, batches } = oneSession();
  const { store, projector, first, second, at } = await pipeline(batches, log);
  let isCalled = false;
  const between = projector.betweenCommits(async (applied) => {
    isCalled = true;
    expect(applied[at.topic]![at.partition]).toBe(2);
  });
  store.held[0]!.go();
  await store.begun(2);
  await settle();
  expect(isCalled).toBe(false);
  store.held[1]!.go();
  await Promise.all([first, second, between]);
  expect(isCalled).toBe(true);
});

it('L9 loses nothing when the thread that writes is killed in mid-commit, again and again', async () => {
  const log = sampleStory();
  const store = temporaryLedger();
  const outages: unknown[] = [];
  const projector = await open(store, log, { onOutage: (error) => outages.push(error) });
  const post = Worker.prototype.postMessage;
  let asked = 0;
  jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
    post.apply(this, message);
    if (++asked % 4 === 0) void this.terminate();
  });
  for (const batch of log.batches(4)) await projector.take(batch);
  jest.restoreAllMocks();
  expect(outages.length).toBeGreaterThan(2);
  expect(projector.health.outage).toBeUndefined();
  expect(await digestOf(store)).toBe(await referenceOf(log));
}, 60_000);
