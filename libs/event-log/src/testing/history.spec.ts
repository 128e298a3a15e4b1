import { StoredRecord } from '../stored-record.js';
import { type History, recordsOfCall, violationsOf } from './history.js';

/** Two partitions; calls a (3 records), b (1) and c (2, not acknowledged). */
function goodHistory(): { acknowledged: History['acknowledged']; partitions: StoredRecord[][] } {
  const stored = (partition: number, ...calls: [string, number][]): StoredRecord[] =>
    calls
      .flatMap(([call, count]) => recordsOfCall(call, count, `key-${partition}`))
      .map(({ key, value, headers }, offset) => new StoredRecord('t', partition, offset, 0, 1, key, value, headers));
  return {
    acknowledged: [
      { call: 'a', positions: [0, 1, 2].map((offset) => ({ partition: 0, offset })) },
      { call: 'b', positions: [{ partition: 1, offset: 0 }] },
    ],
    partitions: [stored(0, ['a', 3], ['c', 2]), stored(1, ['b', 1], ['d', 2])],
  };
}

const changed = (record: StoredRecord, change: Partial<StoredRecord>): StoredRecord => {
  const { topic, partition, offset, timestamp, epoch, key } = { ...record, ...change };
  const { value = record.value, headers = record.headers } = change;
  return new StoredRecord(topic, partition, offset, timestamp, epoch, key, value, headers);
};
const renumbered = (records: StoredRecord[]): StoredRecord[] => records.map((record, offset) => changed(record, { offset }));

it('K3 finds nothing wrong with a history in which an unacknowledged call is there', () => {
  expect(violationsOf(goodHistory())).toEqual([]);
});

it.each<[string, (partitions: StoredRecord[][]) => void]>([
  ['an acknowledged call is lost', (p) => p[1]!.splice(0, 3)],
  ['an acknowledged record is elsewhere', (p) => (p[1] = renumbered([...p[1]!.slice(1), p[1]![0]!]))],
  ['a record is there twice', (p) => p[1]!.push(changed(p[1]![0]!, { offset: 3 }))],
  [
    'an offset is missing',
    (p) => (p[0] = p[0]!.filter((_, i) => i < 3).concat(p[0]!.slice(3).map((r) => changed(r, { offset: r.offset + 1 })))),
  ],
  ['an offset is used twice', (p) => (p[0]![4] = changed(p[0]![4]!, { offset: 3 }))],
  ['a value is cut short', (p) => (p[0]![3] = changed(p[0]![3]!, { value: p[0]![3]!.value!.subarray(1) }))],
  ['an unacknowledged call is there by half', (p) => p[0]!.pop()],
  ['an unacknowledged call lost its first half', (p) => (p[0] = renumbered(p[0]!.filter((_, i) => i !== 3)))],
  ['two records of a call changed places', (p) => (p[0] = renumbered([p[0]![0]!, p[0]![1]!, p[0]![2]!, p[0]![4]!, p[0]![3]!]))],
  ['a key is in two partitions', (p) => (p[1]![0] = changed(p[1]![0]!, { key: 'key-0' }))],
])('K3 sees it when %s', (_, plant) => {
  const history = goodHistory();
  plant(history.partitions);
  expect(violationsOf(history)).not.toEqual([]);
});
