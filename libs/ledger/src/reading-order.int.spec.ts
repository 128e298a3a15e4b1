import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import fc from 'fast-check';
import { Projector } from './projector.js';
import { sampleStory } from './testing/sample-story.js';
import { closeTemporaryLedgers, digestOf, project, temporaryLedger } from './testing/temporary-ledger.js';

afterEach(closeTemporaryLedgers);

describe('the order of reading', () => {
  it('X0 gives one digest however partitions interleave and batches are cut', async () => {
    const log = sampleStory();
    const reference = temporaryLedger();
    await project(reference, log);
    const expected = await digestOf(reference);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.infiniteStream(fc.nat()),
        fc.integer({ min: 1, max: 40 }),
        async (size, picks, maxRecords) => {
          const queues = new Map<string, RecordBatch[]>();
          for (const batch of log.batches(size)) {
            const name = `${batch.topic}:${batch.partition}`;
            queues.set(name, [...(queues.get(name) ?? []), batch]);
          }
          const store = temporaryLedger();
          const projector = await Projector.open({ store, topics: log.topics, gatherMs: 0, maxRecords });
          const taken: Promise<void>[] = [];
          while (queues.size > 0) {
            const names = [...queues.keys()];
            const name = names[picks.next().value! % names.length]!;
            taken.push(projector.take(queues.get(name)!.shift()!));
            if (queues.get(name)!.length === 0) queues.delete(name);
            if (taken.length % 3 === 0) await Promise.all(taken.splice(0));
          }
          await Promise.all(taken);
          expect(await digestOf(store)).toBe(expected);
        },
      ),
      { numRuns: 8 },
    );
  }, 60_000);

  it('X3 gives one digest whether the records before a cut were read or are gone', async () => {
    const log = sampleStory();
    const [whole, cut] = [temporaryLedger(), temporaryLedger()];
    await project(whole, log);
    const left = log.batches().map((batch) => ({
      ...batch,
      records: batch.topic === topics.private.name ? batch.records.filter((record) => record.offset >= 2) : batch.records,
    }));
    await project(
      cut,
      log,
      left.filter((batch) => batch.records.length > 0),
    );
    expect(await digestOf(cut)).toBe(await digestOf(whole));
  });

  it('X0 would give another digest had one record been left out', async () => {
    const digests = new Set<string>();
    for (const change of [
      (batches: RecordBatch[]) => batches,
      (batches: RecordBatch[]) => batches.map((b, i) => (i === 0 ? { ...b, records: b.records.slice(0, -1) } : b)),
      (batches: RecordBatch[]) => batches.map((b, i) => (i === 0 ? { ...b, records: b.records.filter((_, at) => at !== 1) } : b)),
      (batches: RecordBatch[]) => batches.slice(1),
    ]) {
      const log = sampleStory(4);
      const store = temporaryLedger();
      await project(store, log, change(log.batches().filter((batch) => batch.topic === topics.session.name)));
      digests.add(await digestOf(store));
    }
    expect(digests.size).toBe(4);
  });

  it('L9 goes on where another life stopped, in the middle of a turn', async () => {
    const log = sampleStory();
    const [whole, pieces] = [temporaryLedger(), temporaryLedger()];
    await project(whole, log);
    for (const batch of log.batches(1)) await project(pieces, log, [batch]);
    expect(await digestOf(pieces)).toBe(await digestOf(whole));
  });
});
