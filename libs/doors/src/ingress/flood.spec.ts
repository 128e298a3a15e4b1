import fc from 'fast-check';
import { limits } from './limits.js';
import { bootId, entry, filedPlaces, recordedLog, refusal, upTo } from './testing/recorded-log.js';

afterEach(() => void jest.useRealTimers());

it('E6 makes single refusals records and a flood of one cause an exact count', async () => {
  const { filed, counted, recorder } = recordedLog();
  for (let i = 0; i < 10_000; i++) recorder.fileRefusal(refusal);
  recorder.fileRefusal({ ...refusal, errorCode: 'ERR_ORIGIN_NOT_ALLOWED' });
  await recorder.flushed();
  expect(filed.filter(({ type }) => type === 'ingress.recorded')).toHaveLength(limits.recordsPerCause + 1);
  expect(counted()).toMatchObject([
    {
      reason: 'cross-site-refused/request/ERR_HOST_NOT_ALLOWED',
      count: 10_000 - limits.recordsPerCause,
      seqs: [[limits.recordsPerCause + 1, 10_000 - limits.recordsPerCause]],
    },
  ]);
  expect(filedPlaces(filed)).toEqual(upTo(10_001));
});

it('E6 lets each cause have its records again every second', async () => {
  const { filed, recorder } = recordedLog();
  for (const at of [0, 999, 1000, 1999, 500]) for (let i = 0; i < limits.recordsPerCause; i++) recorder.fileRefusal({ ...refusal, at });
  await recorder.flushed();
  const records = filed.filter(({ type }) => type === 'ingress.recorded').map(({ data }) => data.at);
  expect(new Set(records)).toEqual(new Set([0, 1000, 500]));
  expect(records).toHaveLength(3 * limits.recordsPerCause);
});

it.each([{ userRef: 'a'.repeat(32) }, { claimedUser: true as const }, { admission: 'refuse' as const }, { turnId: bootId }])(
  'E6 never merges a record with %j',
  async (named) => {
    const { filed, recorder } = recordedLog();
    for (let i = 0; i < 3 * limits.recordsPerCause; i++) recorder.fileRefusal({ ...refusal, ...named });
    await recorder.flushed();
    expect(filed.map(({ data }) => data)).toEqual(
      upTo(3 * limits.recordsPerCause).map((seq) => expect.objectContaining({ seq, ...named }) as unknown),
    );
  },
);

it('E4 counts by reason and minute what is no record', async () => {
  const { counted, clock, recorder } = recordedLog();
  clock.now = 59_000;
  recorder.count('unrouted');
  recorder.count('unparseable-body');
  recorder.count('unrouted');
  clock.now = 60_500;
  recorder.count('unrouted');
  await recorder.flushed();
  const minute = { hostId: 'h', from: 59_000, to: 59_000 };
  expect(counted()).toMatchObject([
    {
      ...minute,
      reason: 'unrouted',
      count: 2,
      seqs: [
        [1, 1],
        [2, 1],
      ],
    },
    { ...minute, reason: 'unparseable-body', count: 1, seqs: [[2, 1]] },
    { hostId: 'h', from: 60_500, to: 60_500, reason: 'unrouted', count: 1, seqs: [[4, 1]] },
  ]);
});

it('E4 and E6 close a count at its window’s end, asked or not', async () => {
  jest.useFakeTimers({ now: 5_000 });
  const { counted, clock, recorder } = recordedLog();
  clock.now = 5_000;
  for (let i = 0; i <= limits.recordsPerCause; i++) recorder.fileRefusal({ ...refusal, at: clock.now });
  recorder.count('unrouted');
  const to = async (now: number) => {
    const ms = now - clock.now;
    clock.now = now;
    await jest.advanceTimersByTimeAsync(ms);
  };
  await to(9_900);
  expect(counted()).toEqual([]);
  await to(10_100);
  expect(counted().map(({ reason }) => reason)).toEqual(['cross-site-refused/request/ERR_HOST_NOT_ALLOWED']);
  for (const now of [20_000, 30_000, 40_000, 50_000, 59_900]) await to(now);
  expect(counted()).toHaveLength(1);
  await to(60_100);
  expect(
    counted()
      .map(({ reason }) => reason)
      .at(-1),
  ).toBe('unrouted');
  expect(recorder.durableSeq).toBe(recorder.lastSeq);
});

it('E11 closes a count at 6 KiB, and its fact fits whatever its places are', async () => {
  const { filed, counted, recorder } = recordedLog();
  for (let i = 0; i < 20_000; i++) recorder.count(i % 2 ? 'unrouted' : 'closing');
  await recorder.flushed();
  expect(counted().length).toBeGreaterThan(2);
  for (const data of counted()) expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(6 * 1024);
  expect(filedPlaces(filed)).toEqual(upTo(20_000));
});

type Step = 'served' | 'refused' | 'other' | 'named' | 'unrouted' | 'closing' | 'later' | 'down' | 'up';
const step = fc.constantFrom<Step>(
  'served',
  'refused',
  'refused',
  'refused',
  'other',
  'named',
  'unrouted',
  'closing',
  'later',
  'down',
  'up',
);

it('E11 and E12 name every place exactly once, whatever comes, in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.integer({ min: 1, max: 120 })), { maxLength: 40 }), async (steps) => {
      let isDown = false;
      const waiting: (() => void)[] = [];
      const { filed, clock, recorder } = recordedLog(async () => {
        if (isDown) await new Promise<void>((resolve) => waiting.push(resolve));
      });
      const does: Record<Step, () => void> = {
        served: () => void recorder.file(entry),
        refused: () => recorder.fileRefusal({ ...refusal, at: clock.now }),
        other: () => recorder.fileRefusal({ ...refusal, at: clock.now, errorCode: 'ERR_OTHER' }),
        named: () => recorder.fileRefusal({ ...refusal, at: clock.now, admission: 'refuse' }),
        unrouted: () => recorder.count('unrouted'),
        closing: () => recorder.count('closing'),
        later: () => void (clock.now += 700),
        down: () => void (isDown = true),
        up: () => {
          isDown = false;
          for (const go of waiting.splice(0)) go();
        },
      };
      for (const [kind, times] of steps) for (let i = 0; i < times; i++) does[kind]();
      await new Promise(setImmediate);
      does.up();
      await recorder.flushed();
      expect(filedPlaces(filed)).toEqual(upTo(recorder.lastSeq));
      expect(recorder.durableSeq).toBe(recorder.lastSeq);
    }),
    { numRuns: 60 },
  );
});
