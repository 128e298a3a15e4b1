import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { startsOf } from './history.js';
import { SampleLog, ref } from './testing/sample-log.js';

const sample = new SampleLog();
const { name } = topics.private;
sample.add('r', { type: 'retention.applied', data: { topic: name, partition: 1, before: 7, by: ref('operator') } });

/** A log whose private topic holds the given offsets, and whose system topic tells of one cut: partition 1 before 7. */
const logWith = (start: number, end: number) =>
  ({
    topics: sample.topics,
    ends: async () => [
      { start: 0, end: 9 },
      { start, end },
    ],
    async *read() {
      yield* sample.batches();
    },
  }) as unknown as EventLog;

it('K8 goes on at the stored places of a log that has them', async () => {
  expect(await startsOf(logWith(0, 5), { [name]: [3, 5] })).toEqual({ [name]: [3, 5] });
});

it('K8 refuses a log that ends before a stored place, and names place and mend', async () => {
  const refused = startsOf(logWith(0, 4), { [name]: [3, 5] });
  await expect(refused).rejects.toMatchObject({
    code: 'ERR_LEDGER_AHEAD',
    message: expect.stringMatching(/private\.v1 partition 1.*offset 5.*ends at 4.*replay --switch/s),
  });
});

it('X3 goes on at a start that retention moved', async () => {
  expect(await startsOf(logWith(7, 9), { [name]: [0, 2] })).toEqual({ [name]: [0, 7] });
});

it('X3 and K12 stop at any other missing prefix', async () => {
  const refused = startsOf(logWith(8, 9), { [name]: [0, 2] });
  await expect(refused).rejects.toMatchObject({
    code: 'ERR_HISTORY_LOST',
    message: expect.stringMatching(/Offsets 2 to 7 .*private\.v1 partition 1/),
  });
});
