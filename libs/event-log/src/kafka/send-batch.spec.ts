import fc from 'fast-check';
import { AppendRefusedError } from '../errors.js';
import { PARTITION_SEND_BYTES, type PendingAppend, placeRecords } from './pending-append.js';
import { positionsOf, takeBatch } from './send-batch.js';

const appendOf = (sizes: Readonly<Record<number, number>>, messages = 1): PendingAppend => ({
  messages: Object.keys(sizes).flatMap((partition) =>
    Array.from({ length: messages }, () => ({ value: 'v', partition: Number(partition) })),
  ),
  bytesPerPartition: new Map(Object.entries(sizes).map(([partition, bytes]) => [Number(partition), bytes])),
  bytes: Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0),
  deadline: 0,
  isSent: false,
  isSettled: false,
  resolve: () => {},
  reject: () => {},
});

describe('what goes into one send', () => {
  it('K1 takes calls whole and in order, up to 900 KiB for each partition', () => {
    const call = fc.dictionary(fc.constantFrom('0', '1', '2'), fc.integer({ min: 1, max: PARTITION_SEND_BYTES }), { minKeys: 1 });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 20 }), (calls) => {
        const given = calls.map((sizes) => appendOf({ ...sizes }));
        const queue = [...given];
        const sent: PendingAppend[][] = [];
        while (queue.length > 0) sent.push(takeBatch(queue));
        expect(sent.flat()).toEqual(given);
        for (const batch of sent)
          for (const partition of [0, 1, 2])
            expect(batch.reduce((sum, { bytesPerPartition }) => sum + (bytesPerPartition.get(partition) ?? 0), 0)).toBeLessThanOrEqual(
              PARTITION_SEND_BYTES,
            );
        for (const [i, batch] of sent.slice(1).entries()) expect(takeBatch([...sent[i]!, batch[0]!])).toHaveLength(sent[i]!.length);
      }),
    );
  });

  it('K7 bounds the messages of a send, but never splits a call', () => {
    const queue = [appendOf({ 0: 1 }, 1_500), appendOf({ 0: 1 }, 400), appendOf({ 0: 1 }, 200), appendOf({ 0: 1 }, 5_000)];
    expect([takeBatch(queue).length, takeBatch(queue).length, takeBatch(queue).length]).toEqual([2, 1, 1]);
  });

  it('K1 gives each record the offset it has in its partition', () => {
    const batch = [appendOf({ 0: 1, 1: 1 }, 2), appendOf({ 1: 1 }, 1)];
    const places = positionsOf(
      't',
      batch,
      new Map([
        [0, 10],
        [1, 20],
      ]),
    ).map((positions) => positions.map(({ partition, offset }) => [partition, offset]));
    expect(places).toEqual([
      [
        [0, 10],
        [0, 11],
        [1, 20],
        [1, 21],
      ],
      [[1, 22]],
    ]);
  });

  it('K4 refuses one call that no single send can hold', () => {
    const records = Array.from({ length: 3 }, () => ({ key: 'k', value: Buffer.alloc(400 * 1024), headers: {} }));
    expect(() => placeRecords('t', 4, records)).toThrow(AppendRefusedError);
    expect(placeRecords('t', 4, records.slice(1)).messages).toHaveLength(2);
  });
});
