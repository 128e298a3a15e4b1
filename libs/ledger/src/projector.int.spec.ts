import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { Projector, type ProjectorOptions } from './projector.js';
import type { LedgerStore } from './store.js';
import { sampleStory } from './testing/sample-story.js';
import { SampleLog } from './testing/sample-log.js';
import { SampleSession } from './testing/sample-facts.js';
import { closeTemporaryLedgers, digestOf, project, temporaryLedger } from './testing/temporary-ledger.js';

afterEach(closeTemporaryLedgers);

/** One session's log, in one partition of the session topic. */
function sampleSession(): { log: SampleLog; batch: RecordBatch } {
  const log = new SampleLog();
  const session = new SampleSession(log, 's');
  session.claim('t', 'r');
  session.renew('t', 'r');
  session.fail('t', 'r');
  return { log, batch: log.batches()[0]! };
}

/** A store whose next commits go wrong. */
function failing(store: LedgerStore, outcomes: ((commit: () => Promise<unknown>) => Promise<unknown>)[]): LedgerStore {
  return {
    ...store,
    db: store.db,
    snapshot: (read) => store.snapshot(read),
    close: () => store.close(),
    commit: async (commit) => {
      await outcomes.shift()?.(() => store.commit(commit));
      return store.commit(commit);
    },
  };
}

const open = (store: LedgerStore, log: SampleLog, more: Partial<ProjectorOptions> = {}) =>
  Projector.open({ store, topics: log.topics, retryMs: 1, gatherMs: 0, ...more });

describe('a projector', () => {
  it('L9 skips what it has, when a reader delivers it again', async () => {
    const { log, batch } = sampleSession();
    const store = temporaryLedger();
    const projector = await open(store, log);
    await Promise.all([projector.take({ ...batch, records: batch.records.slice(0, 2) }), projector.take(batch), projector.take(batch)]);
    expect(await store.db.selectFrom('fact').select('offset').execute()).toHaveLength(3);
    expect(projector.applied[batch.topic]![batch.partition]).toBe(3);
  });

  it('P3 says when a place is in the ledger', async () => {
    const { log, batch } = sampleSession();
    const projector = await open(temporaryLedger(), log);
    const at = { topic: batch.topic, partition: batch.partition, offset: 2 };
    const seen: number[] = [];
    projector.onApplied((_topic, _partition, next) => seen.push(next));
    expect(await projector.reach(at, 1)).toBe(false);
    const reached = projector.reach(at, 60_000);
    await projector.take(batch);
    expect(await reached).toBe(true);
    expect(await projector.reach(at, 0)).toBe(true);
    expect(await projector.reach({ ...at, partition: 99 }, 60_000)).toBe(false);
    expect(seen).toEqual([3]);
  });

  it('L9 stops for good when another projector moved its place', async () => {
    const { log, batch } = sampleSession();
    const store = temporaryLedger();
    const [first, second] = [await open(store, log), await open(store, log)];
    await first.take(batch);
    await expect(second.take(batch)).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
    await expect(second.take(batch)).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
    expect(second.health.stoppedBy).toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
  });

  it('K11 takes up what the store holds after another projector moved a place, on the sessions as that one left them', async () => {
    const { log } = sampleSession();
    const [store, reference] = [temporaryLedger(), temporaryLedger()];
    await project(reference, log);
    const [claimed, renewed, failed] = log.batches(1) as [RecordBatch, RecordBatch, RecordBatch];
    const projector = await open(store, log);
    await projector.take(claimed);
    await project(store, log, [renewed]);
    const late = [projector.take(renewed), projector.take(failed)];
    for (const taken of late) await expect(taken).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
    const places = await projector.takeUp();
    expect(places[failed.topic]![failed.partition]).toBe(2);
    expect(projector.health.stoppedBy).toBeUndefined();
    await projector.take(failed);
    expect(await digestOf(store)).toBe(await digestOf(reference));
  });

  it('K11 forgets sessions that another projector has folded on since, and a bug that may be another one’s by now', async () => {
    const { log } = sampleSession();
    const [store, reference] = [temporaryLedger(), temporaryLedger()];
    await project(reference, log);
    const [claimed, renewed, failed] = log.batches(1) as [RecordBatch, RecordBatch, RecordBatch];
    const poisoned = log.batches(1)[1]!;
    const projector = await open(store, log);
    await projector.take(claimed);
    Object.defineProperty(poisoned.records[0], 'decoded', {
      get: () => {
        throw new TypeError('a bug');
      },
      configurable: true,
    });
    await projector.take(poisoned);
    expect(projector.health.faults).toHaveLength(1);
    delete (poisoned.records[0] as { decoded?: unknown }).decoded;
    await project(store, log, [renewed]);
    await projector.takeUp();
    expect(projector.health.faults).toEqual([]);
    await projector.take(failed);
    expect(await digestOf(store)).toBe(await digestOf(reference));
  });

  it('X4 keeps a partition stopped by a bug when another generation is taken into use', async () => {
    const { log } = sampleSession();
    const [claimed, poisoned, failed] = log.batches(1) as [RecordBatch, RecordBatch, RecordBatch];
    const projector = await open(temporaryLedger(), log);
    await projector.take(claimed);
    Object.defineProperty(poisoned.records[0], 'decoded', {
      get: () => {
        throw new TypeError('a bug');
      },
    });
    await projector.take(poisoned);
    await projector.betweenCommits(async () => {});
    await projector.take(failed);
    expect(projector.health.faults).toHaveLength(1);
    expect(projector.applied[failed.topic]![failed.partition]).toBe(1);
  });

  it('K11 takes nothing up once it is closed', async () => {
    const { log } = sampleSession();
    const projector = await open(temporaryLedger(), log);
    await projector.close();
    await expect(projector.takeUp()).rejects.toMatchObject({ code: 'ERR_LEDGER_CLOSED' });
  });

  it('L9 waits through an outage of the database, says so once and drops nothing', async () => {
    const { log, batch } = sampleSession();
    const store = temporaryLedger();
    const outages: unknown[] = [];
    const away = async () => Promise.reject(new Error('away'));
    const projector = await open(failing(store, [away, away]), log, { onOutage: (error) => outages.push(error, projector.health.outage) });
    await projector.take(batch);
    expect(outages).toEqual([expect.any(Error), expect.any(Error)]);
    expect(projector.health.outage).toBeUndefined();
    expect(await store.db.selectFrom('fact').selectAll().execute()).toHaveLength(3);
  });

  it('L9 counts a commit once whose answer was lost', async () => {
    const { log, batch } = sampleSession();
    const store = temporaryLedger();
    const lost = async (commit: () => Promise<unknown>) => {
      await commit();
      throw new Error('the answer was lost');
    };
    const projector = await open(failing(store, [lost]), log);
    await projector.take(batch);
    expect(projector.applied[batch.topic]![batch.partition]).toBe(3);
    expect(projector.health.stoppedBy).toBeUndefined();
  });

  it('L9 stops only the partition in which a projection has a bug, and says where', async () => {
    const log = sampleStory();
    const store = temporaryLedger();
    const faults: unknown[] = [];
    const projector = await open(store, log, { onFault: (fault) => faults.push(fault) });
    const batches = log.batches();
    const poisoned = batches.find((b) => b.topic === topics.ingress.name && b.records.length > 2)!;
    Object.defineProperty(poisoned.records[1], 'decoded', {
      get: () => {
        throw new TypeError('a bug');
      },
    });
    await Promise.all(batches.map((batch) => projector.take(batch)));
    const fault = { topic: poisoned.topic, partition: poisoned.partition, offset: 1 };
    expect(faults).toMatchObject([fault]);
    expect(projector.health.faults).toMatchObject([{ ...fault, error: expect.any(TypeError) }]);
    for (const { topic, partition, records } of batches)
      expect(projector.applied[topic]![partition]).toBe(partition === fault.partition && topic === fault.topic ? 1 : records.length);
    await projector.take({ ...poisoned, records: poisoned.records.slice(2) });
    expect(await projector.reach({ ...fault, offset: 2 }, 1)).toBe(false);
  });

  it('L9 leaves what it had not committed on the log when it is closed', async () => {
    const { log, batch } = sampleSession();
    const store = temporaryLedger();
    const projector = await open(
      failing(
        store,
        Array.from({ length: 99 }, () => async () => Promise.reject(new Error('away'))),
      ),
      log,
      {
        onOutage: () => void projector.close(),
        retryMs: 60_000,
      },
    );
    await expect(projector.take(batch)).rejects.toThrow();
    await expect(projector.take(batch)).rejects.toMatchObject({ code: 'ERR_LEDGER_CLOSED' });
    await project(store, log);
    expect(await store.db.selectFrom('fact').selectAll().execute()).toHaveLength(3);
  });
});
