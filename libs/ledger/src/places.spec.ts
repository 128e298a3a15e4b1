import { setTimeout as sleep } from 'node:timers/promises';
import { startOfPartition, type LogPositions } from '@doorledger/event-log';
import { Places } from './places.js';

const at = (next: number) => ({ ...startOfPartition, next });
const times = (...nexts: number[]) => ({ t: nexts.map(at) });
const LONG_MS = 60_000;

describe('P3 on a ledger that other projectors write too', () => {
  it('hears of a place that one of them moved, with one question for all who wait', async () => {
    const answers: LogPositions[] = [{ t: [0, 0] }, { t: [0, 3] }, { t: [9, 9] }];
    const stored = jest.fn(async () => answers.shift()!);
    const places = new Places({ times: times(0, 0), stored });
    const order: string[] = [];
    const wait = async (name: string, partition: number, offset: number) => {
      expect(await places.reach({ topic: 't', partition, offset }, LONG_MS)).toBe(true);
      order.push(name);
    };
    await Promise.all([wait('late', 0, 8), wait('early', 1, 2), wait('own', 0, 0), (async () => places.moved('t', 0, at(1)))()]);
    expect(order).toEqual(['own', 'early', 'late']);
    expect(stored).toHaveBeenCalledTimes(3);
    await sleep(200);
    expect(stored).toHaveBeenCalledTimes(3);
  });

  it('goes by its own places alone for what they say, and says no where there is no such partition', async () => {
    const stored = jest.fn(async () => ({ t: [0] }));
    const places = new Places({ times: times(5), stored });
    expect(await places.reach({ topic: 't', partition: 0, offset: 4 }, LONG_MS)).toBe(true);
    expect(await places.reach({ topic: 't', partition: 1, offset: 0 }, LONG_MS)).toBe(false);
    expect(stored).not.toHaveBeenCalled();
  });

  it('never takes what others have done for its own place', async () => {
    const places = new Places({ times: times(0), stored: async () => ({ t: [7] }) });
    expect(await places.reach({ topic: 't', partition: 0, offset: 6 }, LONG_MS)).toBe(true);
    expect([places.applied, places.at('t', 0)]).toEqual([{ t: [0] }, at(0)]);
  });

  it('waits through a store that does not answer, until the time is over', async () => {
    let failures = 0;
    const places = new Places({
      times: times(0),
      stored: async () => {
        if (failures++ < 2) throw new Error('away');
        return { t: [1] };
      },
    });
    expect(await places.reach({ topic: 't', partition: 0, offset: 0 }, LONG_MS)).toBe(true);
    expect(await places.reach({ topic: 't', partition: 0, offset: 1 }, 1)).toBe(false);
  });
});

it('P3 hears of places that are known anew', async () => {
  const places = new Places({ times: times(0) });
  const reached = places.reach({ topic: 't', partition: 0, offset: 4 }, LONG_MS);
  places.begin(times(5));
  expect(await reached).toBe(true);
});
