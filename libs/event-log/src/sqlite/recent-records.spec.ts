import fc from 'fast-check';
import { StoredRecord } from '../stored-record.js';
import { RecentRecords } from './recent-records.js';

const run = (slot: number, from: number, count: number): StoredRecord[] =>
  Array.from({ length: count }, (_, i) => new StoredRecord('t', slot, from + i, 0, 1, 'key', Buffer.alloc(0), {}));

it('K2 serves from any offset it still holds the records that follow, without a gap', () => {
  const runs = fc.array(
    fc.record({ slot: fc.integer({ min: 0, max: 2 }), count: fc.integer({ min: 1, max: 5 }), bytes: fc.constantFrom(100, 750_000) }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(runs, (added) => {
      const recent = new RecentRecords(3);
      const ends = [0, 0, 0];
      for (const { slot, count, bytes } of added) {
        recent.add(slot, run(slot, ends[slot]!, count), bytes);
        ends[slot]! += count;
      }
      for (const [slot, end] of ends.entries()) {
        let isHeld = false;
        for (let offset = 0; offset < end; offset++) {
          const found = recent.from(slot, offset);
          // What it holds is the newest: once it serves an offset it serves all that follow.
          expect(isHeld && !found).toBe(false);
          isHeld = found !== undefined;
          expect(found?.map((record) => record.offset) ?? []).toEqual((found ?? []).map((_, i) => offset + i));
        }
        expect(recent.from(slot, end)).toBeUndefined();
      }
    }),
  );
});

it('K7 holds 2 MiB at most, the newest', () => {
  const recent = new RecentRecords(1);
  for (let offset = 0; offset < 100; offset++) recent.add(0, run(0, offset, 1), 1024 * 1024);
  expect(recent.at(0, 97)).toBeUndefined();
  expect(recent.at(0, 98)).toMatchObject({ offset: 98 });
});

it('K2 gives every reader of the newest transaction the same record', () => {
  const recent = new RecentRecords(1);
  const records = run(0, 0, 3);
  recent.add(0, records, 300);
  expect(recent.from(0, 0)).toBe(records);
  expect(recent.from(0, 1)![0]).toBe(records[1]);
});
