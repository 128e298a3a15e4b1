import { topics } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { rebuild } from './rebuild.js';
import { SampleLog, ref } from './testing/sample-log.js';
import { SampleSession } from './testing/sample-facts.js';
import { closeTemporaryLedgers, digestOf, project, temporaryLedger } from './testing/temporary-ledger.js';

afterEach(closeTemporaryLedgers);

/** A log with these records, of which the private topic begins at `start`. */
function logOf(sample: SampleLog, start: number): EventLog {
  const startOf = (topic: string) => (topic === topics.private.name ? start : 0);
  return {
    topics: sample.topics,
    ends: async (topic: string) => endsOf(sample)[topic]!.map((end) => ({ start: Math.min(startOf(topic), end), end })),
    async *read(topic: string, from: readonly number[]) {
      for (const batch of sample.batches(3)) {
        const records = batch.records.filter((r) => batch.topic === topic && r.offset >= Math.max(from[batch.partition]!, startOf(topic)));
        if (records.length > 0) yield { ...batch, records };
      }
    },
  } as unknown as EventLog;
}

function endsOf(sample: SampleLog): Record<string, number[]> {
  const ends = Object.fromEntries(Array.from(sample.topics, ([topic, count]) => [topic, new Array<number>(count).fill(0)]));
  for (const { topic, partition, records } of sample.batches()) ends[topic]![partition]! += records.length;
  return ends;
}

/** Twelve sessions with one message each; every private partition is cut before its second message. */
function cutStory(): SampleLog {
  const sample = new SampleLog();
  for (let i = 0; i < 12; i++) {
    const session = new SampleSession(sample, `s${i}`);
    session.claim(`t${i}`, `r${i}`);
    session.step(`t${i}`, `r${i}`, 1, session.content(`t${i}`, `r${i}`, `hello ${i}`));
    sample.now += 10;
  }
  for (const partition of [0, 1, 2, 3])
    sample.add('cut', { type: 'retention.applied', data: { topic: topics.private.name, partition, before: 2, by: ref('operator') } });
  return sample;
}

it.each([2, 99])('X3 replays a log that was cut to the digest of the ledger that read it all: start %d', async (before) => {
  const sample = cutStory();
  if (before > 2)
    for (const partition of [0, 1, 2, 3])
      sample.add('cut', { type: 'retention.applied', data: { topic: topics.private.name, partition, before, by: ref('operator') } });
  const [live, rebuilt] = [temporaryLedger(), temporaryLedger()];
  await project(live, sample);
  await rebuild({ log: logOf(sample, before), store: rebuilt, upTo: endsOf(sample) });
  expect(await digestOf(rebuilt)).toBe(await digestOf(live));
  const left = await rebuilt.db.selectFrom('message').select('offset').execute();
  expect(left.every(({ offset }) => offset >= before)).toBe(true);
  expect(left.length > 0).toBe(before === 2);
});

it('X3 stops at a start that no retention names', async () => {
  const sample = cutStory();
  const rebuilding = rebuild({ log: logOf(sample, 3), store: temporaryLedger(), upTo: endsOf(sample) });
  await expect(rebuilding).rejects.toMatchObject({ code: 'ERR_HISTORY_LOST' });
});

it('X0 stops at exactly the places it was given', async () => {
  const sample = cutStory();
  const upTo: LogPositions = { ...endsOf(sample), [topics.session.name]: [1, 0, 2, 1] };
  const store = temporaryLedger();
  await rebuild({ log: logOf(sample, 0), store, upTo });
  const rows = await store.db
    .selectFrom('projection_offset')
    .select(['partition', 'next'])
    .where('topic', '=', topics.session.name)
    .execute();
  expect(rows.sort((a, b) => a.partition - b.partition)).toEqual([
    { partition: 0, next: 1 },
    { partition: 2, next: 2 },
    { partition: 3, next: 1 },
  ]);
});

it('X0 tells of the record that a projection cannot take, and writes nothing of its group', async () => {
  const sample = cutStory();
  const batch = sample.batches().find(({ topic, records }) => topic === topics.private.name && records.length > 2);
  Object.defineProperty(batch!.records[2], 'decoded', {
    get: () => {
      throw new TypeError('a bug');
    },
  });
  const store = temporaryLedger();
  await expect(rebuild({ log: logOf(sample, 0), store, upTo: endsOf(sample) })).rejects.toThrow(new TypeError('a bug'));
  expect(await store.db.selectFrom('message').selectAll().execute()).toEqual([]);
});
