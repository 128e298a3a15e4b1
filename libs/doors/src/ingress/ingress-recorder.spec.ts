import { AppendIndefiniteError, AppendRefusedError, type NewRecord } from '@doorledger/event-log';
import { IngressRecorder, type IngressEntry } from './ingress-recorder.js';

const entry: IngressEntry = { at: 1, door: 'turn', outcome: 'served', bearerPresent: false, durationMs: 0 };
const bootId = '00000000-0000-4000-8000-000000000001';

function recorder(append: (records: readonly NewRecord[]) => Promise<void> = async () => {}) {
  const filed: { id: string; seq: number; key: string }[] = [];
  const log = {
    append: async (topic: string, records: readonly NewRecord[]) => {
      await append(records);
      for (const { key, value } of records) {
        const event = JSON.parse(Buffer.from(value).toString()) as { id: string; data: { seq: number } };
        filed.push({ id: event.id, seq: event.data.seq, key });
      }
      return records.map(() => ({ topic, partition: 0, offset: filed.length }));
    },
  };
  return {
    filed,
    recorder: new IngressRecorder({ log, hostId: 'h', bootId, origin: { source: '/doorledger/t/h', now: () => 0 }, maxPending: 3 }),
  };
}

it('E11 gives each request the next place, gapless from 1, in the order they ended', async () => {
  const { filed, recorder: r } = recorder();
  await Promise.all([r.file(entry), r.file({ ...entry, sessionRef: 'a'.repeat(32) }), r.file(entry)]);
  expect(filed.map((f) => f.seq)).toEqual([1, 2, 3]);
  expect(filed.map((f) => f.key)).toEqual(['h', 'a'.repeat(32), 'h']);
  expect(r.lastSeq).toBe(3);
});

it('E11 knows the last place before which everything is durable', async () => {
  const release: (() => void)[] = [];
  const { recorder: r } = recorder(() => new Promise<void>((resolve) => release.push(resolve)));
  const filings = [r.file(entry), r.file(entry), r.file(entry)];
  await new Promise(setImmediate);
  expect(r.durableSeq).toBe(0);
  release[0]!();
  await filings[0];
  release[2]!();
  await filings[2];
  expect(r.durableSeq).toBe(1);
  release[1]!();
  await r.flushed();
  expect(r.durableSeq).toBe(3);
});

it('L7 appends a record again under the same event id until the log confirms it', async () => {
  const ids: string[] = [];
  const { filed, recorder: r } = recorder(async ([record]) => {
    ids.push(record!.headers.ce_id!);
    if (ids.length < 3) throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'no answer');
  });
  await r.file(entry);
  expect(new Set(ids)).toEqual(new Set([filed[0]!.id]));
  expect(ids).toHaveLength(3);
});

it('E5 keeps the record of a request while the disk is full, and writes it when there is space again', async () => {
  let isFull = true;
  const { filed, recorder: r } = recorder(async () => {
    if (isFull) throw new AppendRefusedError('ERR_DISK_FULL', 'full');
  });
  const filing = r.file(entry);
  await new Promise(setImmediate);
  expect([filed.length, r.durableSeq, r.problem]).toEqual([0, 0, undefined]);
  isFull = false;
  await filing;
  expect([filed.length, r.durableSeq, r.problem]).toEqual([1, 1, undefined]);
});

it('E5 says what could not be written and how much waits', async () => {
  const { recorder: r } = recorder(async () => {
    throw new AppendRefusedError('ERR_LOG_CLOSED', 'closed');
  });
  expect(r.problem).toBeUndefined();
  await expect(r.file(entry)).rejects.toThrow('closed');
  expect(r.problem).toBe('1 ingress records could not be written');
  const { recorder: waiting } = recorder(() => new Promise(() => {}));
  for (let i = 0; i < 4; i++) void waiting.file(entry);
  expect(waiting.problem).toBe('4 ingress records wait for the log');
});
