import fc from 'fast-check';
import { advance, startOfPartition, type PartitionTime } from './time.js';

const at = (offset: number, epoch: number, timestamp: number) => ({ offset, epoch, timestamp });

it('L1 grows T between neighbours of one leader epoch and stands still across a change of leader', () => {
  const first = advance(startOfPartition, at(0, 0, 5_000));
  expect(first).toEqual({ next: 1, epoch: 0, timestamp: 5_000, T: 0 });
  const second = advance(first, at(1, 0, 7_500));
  expect(second.T).toBe(2_500);
  const otherLeader = advance(second, at(2, 1, 99_000));
  expect(otherLeader).toEqual({ next: 3, epoch: 1, timestamp: 99_000, T: 2_500 });
  expect(advance(otherLeader, at(3, 1, 99_010)).T).toBe(2_510);
});

it('L1 never takes T back when a clock steps back, and grows on from the lower time', () => {
  const late = advance(advance(startOfPartition, at(0, 0, 10_000)), at(1, 0, 4_000));
  expect(late.T).toBe(0);
  expect(advance(late, at(2, 0, 4_100)).T).toBe(100);
});

it('L1 gives two readers the same T whatever the clocks do, wherever one of them starts from a stored time', () => {
  const records = fc.array(fc.record({ epoch: fc.nat(3), timestamp: fc.nat(1_000_000) }), { maxLength: 30 });
  fc.assert(
    fc.property(records, fc.nat(30), (of, cut) => {
      const fold = (time: PartitionTime, from: number, to: number): PartitionTime =>
        of.slice(from, to).reduce<PartitionTime>((t, r, i) => advance(t, { offset: from + i, ...r }), time);
      const stored = JSON.parse(JSON.stringify(fold(startOfPartition, 0, cut))) as PartitionTime;
      expect(fold(stored, Math.min(cut, of.length), of.length)).toEqual(fold(startOfPartition, 0, of.length));
    }),
  );
});
