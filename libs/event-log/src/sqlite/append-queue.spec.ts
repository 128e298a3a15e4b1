import { topics } from '@doorledger/contracts';
import { AppendIndefiniteError, AppendRefusedError } from '../errors.js';
import type { Position } from '../event-log.js';
import { AppendQueue, type CommittedRun } from './append-queue.js';
import { PartitionTable } from './partition-table.js';
import { readFrame } from './record-frame.js';
import { APPENDED, type WriterReply } from './writer-protocol.js';

const topic = topics.system.name;

/** A queue over a writer that answers when and how the test says. */
function open(options: { timeoutMs?: number; maxQueuedBytes?: number } = {}) {
  const batches: { frames: Buffer; count: number; answer: (reply: WriterReply) => void }[] = [];
  const committed: CommittedRun[] = [];
  const writing: number[][] = [];
  const clock = { now: 1_234 };
  const stops: string[] = [];
  const ends = [7];
  let onBatch = (): void => {};
  const queue = new AppendQueue({
    writer: {
      framesOf: Buffer.alloc,
      append: (frames, count) =>
        new Promise((answer) => {
          batches.push({ frames, count, answer });
          onBatch();
        }),
    },
    partitions: new PartitionTable([{ slot: 0, topic, partition: 0 }]),
    ends,
    epoch: 3,
    now: () => clock.now,
    timeoutMs: options.timeoutMs ?? 60_000,
    maxQueuedBytes: options.maxQueuedBytes ?? 1_000_000,
    onWriting: (runs) => writing.push([...runs].flatMap(({ records }) => records.map(({ offset }) => offset))),
    onCommit: (runs) => committed.push(...runs),
    onStop: (cause) => stops.push(cause),
  });
  const append = (...values: string[]): Promise<Position[]> =>
    queue.append(
      topic,
      values.map((value) => ({ key: 'key', value: Buffer.from(value), headers: {} })),
    );
  const batch = (n: number): Promise<void> =>
    new Promise((resolve) => {
      onBatch = () => void (batches.length > n && resolve());
      onBatch();
    });
  return { queue, append, batch, batches, writing, committed, stops, ends, clock };
}

const appended: WriterReply = APPENDED;
const offsets = (positions: Position[]): number[] => positions.map(({ offset }) => offset);

it('K1 puts everything that waits into the next transaction, one in flight at a time', async () => {
  const { append, batch, batches, writing, committed, ends, clock } = open();
  const first = [append('a', 'b'), append('c')];
  await batch(0);
  const second = [append('d'), append('e')];
  expect(batches).toHaveLength(1);
  expect(writing).toEqual([[7, 8, 9]]);
  expect(committed).toEqual([]);
  clock.now = 5_678;
  batches[0]!.answer(appended);
  await batch(1);
  batches[1]!.answer(appended);
  expect((await Promise.all(first)).map(offsets)).toEqual([[7, 8], [9]]);
  expect((await Promise.all(second)).map(offsets)).toEqual([[10], [11]]);
  expect(batches.map(({ count }) => count)).toEqual([3, 2]);
  expect(readFrame(batches[1]!.frames, 0)).toMatchObject({
    place: 10,
    timestamp: 5_678,
    epoch: 3,
    key: 'key',
    headers: '{}',
    value: Buffer.from('d'),
  });
  expect(committed.flatMap(({ records }) => records).map(({ offset, timestamp, epoch }) => [offset, timestamp, epoch])).toEqual([
    [7, 1_234, 3],
    [8, 1_234, 3],
    [9, 1_234, 3],
    [10, 5_678, 3],
    [11, 5_678, 3],
  ]);
  expect(ends).toEqual([12]);
});

it('K2 and K4 use the offsets of a refused transaction for the next one', async () => {
  const { append, batch, batches, committed } = open();
  const refused = append('a');
  await batch(0);
  batches[0]!.answer({ type: 'refused', cause: 'SQLITE_FULL' });
  await expect(refused).rejects.toMatchObject({ code: 'ERR_DISK_FULL' });
  await expect(refused).rejects.toBeInstanceOf(AppendRefusedError);
  const next = append('b');
  await batch(1);
  batches[1]!.answer(appended);
  expect(offsets(await next)).toEqual([7]);
  expect(committed).toHaveLength(1);
});

it('K4 does not know what became of the transaction its writer died in, and refuses all that follow', async () => {
  const { append, batch, batches, stops } = open();
  const inFlight = append('a');
  await batch(0);
  const queued = append('b');
  batches[0]!.answer({ type: 'stopped', cause: 'SQLITE_IOERR_FSYNC' });
  await expect(inFlight).rejects.toBeInstanceOf(AppendIndefiniteError);
  for (const refused of [queued, append('c')]) {
    await expect(refused).rejects.toBeInstanceOf(AppendRefusedError);
    await expect(refused).rejects.toMatchObject({ code: 'ERR_LOG_STOPPED' });
  }
  expect(stops).toEqual(['SQLITE_IOERR_FSYNC']);
  expect(batches).toHaveLength(1);
});

it('K4 does not know what became of a transaction that the disk does not confirm, and shows it once it does', async () => {
  const { append, batch, batches, committed, ends } = open({ timeoutMs: 1 });
  const inFlight = append('a');
  await batch(0);
  const queued = append('b');
  await expect(inFlight).rejects.toBeInstanceOf(AppendIndefiniteError);
  await expect(queued).rejects.toMatchObject({ code: 'ERR_LOG_BUSY' });
  expect(committed).toEqual([]);
  batches[0]!.answer(appended);
  const next = append('c');
  await batch(1);
  batches[1]!.answer(appended);
  expect(offsets(await next)).toEqual([8]);
  expect(committed.flatMap(({ records }) => records).map(({ offset }) => offset)).toEqual([7, 8]);
  expect(ends).toEqual([9]);
});

it('K7 gives room again when a transaction ends, however it ends', async () => {
  const { append, batch, batches } = open({ maxQueuedBytes: 200 });
  const value = 'x'.repeat(100);
  for (const [n, reply] of [appended, { type: 'refused', cause: 'SQLITE_FULL' } as const, appended].entries()) {
    const accepted = append(value).catch(() => 'refused by the disk');
    await expect(append(value)).rejects.toMatchObject({ code: 'ERR_LOG_BUSY' });
    await batch(n);
    batches[n]!.answer(reply);
    await accepted;
  }
  await expect(append('x'.repeat(300))).rejects.toMatchObject({ code: 'ERR_APPEND_TOO_LARGE' });
});

it('K1 answers an append of nothing with nothing', async () => {
  const { append, batch, batches } = open();
  const nothing = append();
  await batch(0);
  batches[0]!.answer(appended);
  expect(await nothing).toEqual([]);
});

describe('records that name others', () => {
  const record = (value: string) => ({ key: 'key', value: Buffer.from(value), headers: {} });
  const naming = (made: (named: readonly Position[]) => string[]) => ({
    topic,
    records: (named: readonly Position[]) => made(named).map(record),
  });

  it('K1 and L10 go into the transaction of what they name, right behind it, and know its place', async () => {
    const { queue, append, batch, batches } = open();
    const others = append('a');
    const both = queue.append(
      topic,
      [record('content')],
      naming(([place]) => [`names ${place!.offset}`, 'and more']),
    );
    const later = append('b');
    await batch(0);
    expect(batches).toHaveLength(1);
    batches[0]!.answer(appended);
    expect(offsets(await others)).toEqual([7]);
    expect(offsets(await both)).toEqual([8, 9, 10]);
    expect(offsets(await later)).toEqual([11]);
    const { frames, count } = batches[0]!;
    const values: string[] = [];
    for (let at = 0, n = 0; n < count; n++) {
      const frame = readFrame(frames, at);
      values.push(frame.value.toString());
      at = frame.end;
    }
    expect(values).toEqual(['a', 'content', 'names 8', 'and more', 'b']);
  });

  it('K4 write nothing of an append whose records cannot be made, and all of its neighbours', async () => {
    const { queue, append, batch, batches } = open();
    const broken = queue.append(topic, [record('content')], {
      topic,
      records: () => {
        throw new Error('no such fact');
      },
    });
    const tooLarge = queue.append(
      topic,
      [record('content')],
      naming(() => ['x'.repeat(1_000_000)]),
    );
    const sound = append('a');
    await expect(broken).rejects.toThrow('no such fact');
    await expect(tooLarge).rejects.toMatchObject({ code: 'ERR_RECORD_TOO_LARGE' });
    await batch(0);
    batches[0]!.answer(appended);
    expect(offsets(await sound)).toEqual([7]);
    expect(batches[0]!.count).toBe(1);
  });

  it('K7 give back the room of what they added', async () => {
    const { queue, append, batch, batches } = open({ maxQueuedBytes: 200 });
    const both = queue.append(
      topic,
      [record('x')],
      naming(() => ['y'.repeat(100)]),
    );
    await batch(0);
    await expect(append('z'.repeat(100))).rejects.toMatchObject({ code: 'ERR_LOG_BUSY' });
    batches[0]!.answer(appended);
    await both;
    const after = append('z'.repeat(100));
    await batch(1);
    batches[1]!.answer(appended);
    expect(offsets(await after)).toEqual([9]);
  });
});
