import { AppendIndefiniteError, AppendRefusedError } from '@doorledger/event-log';
import { limits } from './limits.js';
import { entry, filedPlaces, recordedLog, refusal, upTo } from './testing/recorded-log.js';

const tick = () => new Promise(setImmediate);

it('E11 gives each request the next place, gapless from 1, in the order they ended', async () => {
  const { filed, recorder } = recordedLog();
  const filings = [recorder.file(entry), recorder.file({ ...entry, sessionRef: 'a'.repeat(32) })];
  recorder.fileRefusal(refusal);
  recorder.count('unrouted');
  filings.push(recorder.file(entry));
  expect(recorder.lastSeq).toBe(5);
  await Promise.all(filings);
  expect(filed.map(({ key, data }) => [key, data.seq])).toEqual([
    ['h', 1],
    ['a'.repeat(32), 2],
    ['h', 5],
  ]);
  expect(recorder.durableSeq).toBe(2);
  await recorder.flushed();
  expect(filedPlaces(filed)).toEqual(upTo(5));
  expect(recorder.durableSeq).toBe(5);
});

it('E11 knows the last place before which everything is durable', async () => {
  const release: (() => void)[] = [];
  const { recorder } = recordedLog(() => new Promise<void>((resolve) => release.push(resolve)));
  const filings = [recorder.file(entry), recorder.file(entry), recorder.file(entry)];
  await tick();
  expect(recorder.durableSeq).toBe(0);
  release[0]!();
  await filings[0];
  release[2]!();
  await filings[2];
  expect(recorder.durableSeq).toBe(1);
  release[1]!();
  await recorder.flushed();
  expect(recorder.durableSeq).toBe(3);
});

it('L7 appends a record again under the same event id until the log confirms it', async () => {
  const ids: string[] = [];
  const { filed, recorder } = recordedLog(async ([record]) => {
    ids.push(record!.headers.ce_id!);
    if (ids.length < 3) throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'no answer');
  });
  await recorder.file(entry);
  expect(new Set(ids)).toEqual(new Set([filed[0]!.id]));
  expect(ids).toHaveLength(3);
});

it('E5 keeps the record of a request while the disk is full, and writes it when there is space again', async () => {
  let isFull = true;
  const { filed, recorder } = recordedLog(async () => {
    if (isFull) throw new AppendRefusedError('ERR_DISK_FULL', 'full');
  });
  const filing = recorder.file(entry);
  await tick();
  expect([filed.length, recorder.durableSeq, recorder.problem]).toEqual([0, 0, undefined]);
  isFull = false;
  await filing;
  expect([filed.length, recorder.durableSeq, recorder.problem]).toEqual([1, 1, undefined]);
});

it('E5 says what could not be written and how much waits, and calls no lost place durable', async () => {
  const { recorder } = recordedLog(async () => {
    throw new AppendRefusedError('ERR_LOG_CLOSED', 'closed');
  });
  expect(recorder.problem).toBeUndefined();
  await expect(recorder.file(entry)).rejects.toThrow('closed');
  recorder.fileRefusal(refusal);
  await recorder.flushed();
  expect([recorder.problem, recorder.lastSeq, recorder.durableSeq]).toEqual(['2 ingress records could not be written', 2, 0]);
  const { recorder: waiting } = recordedLog(() => new Promise(() => {}));
  for (let i = 0; i < 4; i++) void waiting.file(entry);
  expect(waiting.problem).toBe('4 ingress records wait for the log');
});

it('E5 and E12 count exactly what an outage longer than the buffer leaves unwritten, and are well again once that count is durable', async () => {
  let isDown = true;
  let refused = () => {};
  const isRefused = new Promise<void>((resolve) => (refused = resolve));
  const { filed, counted, recorder } = recordedLog(async () => {
    refused();
    if (isDown) throw new AppendRefusedError('ERR_LOG_WRITE', 'away');
  });
  const named = { ...refusal, userRef: 'a'.repeat(32) };
  const over = 1234;
  recorder.fileRefusal(named);
  await isRefused;
  for (let i = 0; i < limits.bufferedRecords + over; i++) recorder.fileRefusal(named);
  recorder.count('closing');
  expect(recorder.problem).toBe(`${over} ingress records could not be written`);
  isDown = false;
  recorder.fileRefusal(named);
  await recorder.flushed();
  expect(recorder.problem).toBeUndefined();
  expect(counted().find(({ reason }) => reason === 'not-written')).toMatchObject({
    count: over + 1,
    seqs: [
      [expect.any(Number), over],
      [2, 1],
    ],
  });
  expect(filedPlaces(filed)).toEqual(upTo(recorder.lastSeq));
  expect(recorder.durableSeq).toBe(recorder.lastSeq);
});

it('E5 counts a refusal that no record can hold, and fails nobody', async () => {
  const { filed, counted, recorder } = recordedLog();
  recorder.fileRefusal({ ...refusal, errorName: 'not a class name' });
  await expect(recorder.file({ ...entry, errorName: 'not a class name' })).rejects.toMatchObject({ code: 'ERR_FACT_INVALID' });
  recorder.fileRefusal(refusal);
  await recorder.flushed();
  expect(counted().map(({ reason, count }) => [reason, count])).toEqual([
    ['not-written', 1],
    ['not-written', 1],
  ]);
  expect(filedPlaces(filed)).toEqual([1, 2, 3]);
});

it('E8 writes refusals in batches off the request’s path', async () => {
  const { appends, filed, recorder } = recordedLog();
  for (let i = 0; i < 40; i++) recorder.fileRefusal(refusal);
  expect(appends).toEqual([]);
  await tick();
  expect(appends).toEqual([]);
  await recorder.flushed();
  expect(appends).toEqual([40]);
  expect(filed.map(({ data }) => data.seq)).toEqual(upTo(40));
});

it('E8 keeps the appends of a long flood few and bounded', async () => {
  const { appends, filed, recorder } = recordedLog();
  for (let i = 0; i < 4000; i++) recorder.fileRefusal({ ...refusal, claimedUser: true });
  await recorder.flushed();
  expect(appends.every((size) => size <= limits.batchRecords)).toBe(true);
  expect(filedPlaces(filed)).toEqual(upTo(4000));
});

it('E11 ends in good order after close, with the last word of a log that is away', async () => {
  const { recorder } = recordedLog(async () => {
    throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'no answer');
  });
  recorder.fileRefusal(refusal);
  recorder.count('closing');
  void recorder.file(entry).catch(() => {});
  recorder.close();
  await recorder.flushed();
  expect([recorder.lastSeq, recorder.durableSeq]).toEqual([3, 0]);
});
