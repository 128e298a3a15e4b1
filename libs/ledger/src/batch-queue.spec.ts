import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordBatch } from '@doorledger/event-log';
import { BatchQueue } from './batch-queue.js';

const AN_HOUR = 3_600_000;
const batch = (size: number): RecordBatch => ({ topic: 't', partition: 0, records: new Array(size).fill(undefined) });

function queueOf(options: ConstructorParameters<typeof BatchQueue>[0]) {
  const queue = new BatchQueue(options);
  const refused: string[] = [];
  const add = (size: number): void =>
    queue.add({ batch: batch(size), resolve: () => {}, reject: ({ message }: Error) => refused.push(message) });
  const sizes = (): number[] => queue.nextGroup().map((queued) => queued.batch.records.length);
  return { queue, refused, add, sizes };
}

describe('batches that wait to be folded', () => {
  it('L9 go at once after a quiet time, and together when they come soon after', async () => {
    const { queue, add, sizes } = queueOf({ gatherMs: AN_HOUR, maxRecords: 10 });
    add(1);
    await queue.gathered();
    expect(sizes()).toEqual([1]);
    add(2);
    let isGathered = false;
    const gathered = queue.gathered().then(() => (isGathered = true));
    for (let turns = 0; turns < 5; turns++) await nextTurn();
    add(3);
    await nextTurn();
    expect(isGathered).toBe(false);
    add(5);
    await gathered;
    expect(sizes()).toEqual([2, 3, 5]);
    expect(queue.isEmpty).toBe(true);
  });

  it('L9 go in groups within the bound, and one batch is never split', () => {
    const { queue, add, sizes } = queueOf({ maxRecords: 10 });
    for (const size of [4, 6, 1, 25, 2]) add(size);
    expect([sizes(), sizes(), sizes(), sizes()]).toEqual([[4, 6], [1], [25], [2]]);
    expect(queue.isEmpty).toBe(true);
  });

  it('L9 are refused when the projector stops, without waiting for more', async () => {
    const { queue, refused, add } = queueOf({ gatherMs: AN_HOUR });
    add(1);
    await queue.gathered();
    const gathered = queue.gathered();
    await nextTurn();
    queue.refuse(new Error('over'));
    await gathered;
    expect(refused).toEqual(['over']);
    expect(queue.isEmpty).toBe(true);
  });
});
