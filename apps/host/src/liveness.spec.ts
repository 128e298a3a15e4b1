import type { FactData } from '@doorledger/contracts';
import type { NewRecord, Position } from '@doorledger/event-log';
import { Liveness } from './liveness.js';
import { LogHealth } from './log-health.js';

beforeEach(() => void jest.useFakeTimers({ now: 1_000 }));
afterEach(() => void jest.useRealTimers());

interface Said {
  readonly type: string;
  readonly data: FactData<'host.alive'>;
}

it('E11 says the last place issued and the last one durable: at the start, every 10 s, and at the end', async () => {
  const said: Said[] = [];
  const ingress = { lastSeq: 0, durableSeq: 0 };
  const log = new LogHealth({
    append: async (topic: string, [record]: readonly NewRecord[]): Promise<Position[]> => {
      said.push(JSON.parse(Buffer.from(record!.value).toString()) as Said);
      return [{ topic, partition: 0, offset: 0 }];
    },
    ends: async () => [],
  });
  const liveness = new Liveness({
    hostId: 'h',
    bootId: '00000000-0000-4000-8000-000000000001',
    version: '1',
    ingress,
    log,
    origin: { source: '/doorledger/t/h', now: Date.now },
  });
  await liveness.start();
  for (const lastSeq of [7, 9]) {
    Object.assign(ingress, { lastSeq, durableSeq: lastSeq - 2 });
    await jest.advanceTimersByTimeAsync(10_000);
  }
  Object.assign(ingress, { lastSeq: 12, durableSeq: 12 });
  await liveness.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(said.map(({ type, data: { lastSeq, durableSeq } }) => [type, lastSeq, durableSeq])).toEqual([
    ['host.started', 0, 0],
    ['host.alive', 7, 5],
    ['host.alive', 9, 7],
    ['host.stopped', 12, 12],
  ]);
});
