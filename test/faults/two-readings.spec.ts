import { StoredRecord } from '@doorledger/event-log';
import { readCheckpoint } from './leader-epochs.js';
import { readLine, type DumpedRecord } from './second-reader.js';
import { TwoReadings, foldsDiffer } from './two-readings.js';

const topic = 'doorledger.session.v1';
const headers = { 'content-type': 'application/json', ce_id: 'a', ce_time: '2026-01-01T00:00:00.000Z' };

const stored = (offset: number): StoredRecord =>
  new StoredRecord(topic, 2, offset, 1000 + offset, 3, 'key', Buffer.from('{"é":1}'), headers);
const dumped = (offset: number): DumpedRecord => ({
  topic,
  partition: 2,
  offset,
  timestamp: 1000 + offset,
  epoch: 3,
  key: 'key',
  value: '{"é":1}',
  headers,
});

function compare(first: readonly StoredRecord[], second: readonly DumpedRecord[]): string[] {
  const readings = new TwoReadings();
  for (const record of first) readings.seeFirst(record);
  for (const record of second) readings.seeSecond(record);
  return readings.judge().map(({ what }) => what);
}

it('two readings of the same records do not differ', () => {
  expect(compare([stored(0), stored(1)], [dumped(0), dumped(1)])).toEqual([]);
});

it('two readings differ by a record that one of them lacks, and by every part of a record', () => {
  expect(compare([stored(0)], [dumped(0), dumped(1)])).toEqual([expect.stringMatching(/finds a record at .*\/2\/1/)]);
  expect(compare([stored(0), stored(1)], [dumped(0)])).toEqual([expect.stringMatching(/does not find the record at .*\/2\/1/)]);
  const changes: Partial<DumpedRecord>[] = [
    { value: '{"é":2}' },
    { key: 'kex' },
    { timestamp: 1 },
    { epoch: 4 },
    { headers: { ...headers, ce_id: 'b' } },
  ];
  for (const change of changes)
    expect(compare([stored(0)], [{ ...dumped(0), ...change }])).toEqual([expect.stringMatching(/differ at .*\/2\/0/)]);
});

it('two folds differ by a turn that one of them lacks or has elsewhere', () => {
  const turns = new Map([['a', 'completed']]);
  expect(foldsDiffer(turns, new Map(turns))).toEqual([]);
  expect(foldsDiffer(turns, new Map())).toHaveLength(1);
  expect(foldsDiffer(new Map(), turns)).toHaveLength(1);
  expect(foldsDiffer(turns, new Map([['a', 'failed']]))).toHaveLength(1);
});

it('reads a line of the console consumer, and the epochs that a broker keeps', () => {
  const header = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  const line = ['LogAppendTime:1007', 'Partition:2', 'Offset:7', header.join('\u001e'), 'key', '{"é":1}'].join('\u001f');
  const { epoch: _, ...rest } = dumped(7);
  expect(readLine(topic, line)).toEqual(rest);
  expect(readLine(topic, 'CreateTime:1\u001fPartition:0\u001fOffset:0\u001fNO_HEADERS\u001fk\u001fv')).toMatchObject({ headers: {} });
  expect(readCheckpoint('0\n2\n0 0\n4 17\n')).toEqual([
    { epoch: 0, start: 0 },
    { epoch: 4, start: 17 },
  ]);
});
