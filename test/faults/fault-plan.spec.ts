import { partOf, planFaults, shapes } from './fault-plan.js';
import { seeded } from './seeded.js';
import { Gaps } from './silence.js';

const first = (count: number, seed: number, more: Partial<Parameters<typeof planFaults>[0]> = {}) => {
  const plan = planFaults({ random: seeded(seed), ...more });
  return Array.from({ length: count }, () => plan.next().value);
};

it('plans the same faults for the same seed, others for another, and every kind', () => {
  expect(first(20, 7)).toEqual(first(20, 7));
  expect(first(20, 8)).not.toEqual(first(20, 7));
  expect(new Set(first(300, 1).map(({ kind }) => kind))).toEqual(new Set(shapes.map(({ kind }) => kind)));
  expect(shapes.reduce((sum, { share }) => sum + share, 0)).toBe(100);
});

it('plans only the kinds that were asked for, each within its bounds and the longest allowed', () => {
  const faults = first(50, 3, { kinds: ['broker-pause', 'host-kill'], longestMs: 6000 });
  expect(new Set(faults.map(({ kind }) => partOf(kind)))).toEqual(new Set(['broker', 'host']));
  for (const { kind, awayMs } of faults) {
    expect(awayMs).toBeLessThanOrEqual(6000);
    expect(awayMs).toBeGreaterThanOrEqual(kind === 'broker-pause' ? 5000 : 0);
  }
});

it('measures the longest silence of each partition, one that lasts included', () => {
  jest.useFakeTimers();
  const gaps = new Gaps();
  for (const ms of [0, 10, 300, 10]) {
    jest.advanceTimersByTime(ms);
    gaps.sign(1);
  }
  gaps.sign(2);
  jest.advanceTimersByTime(50);
  expect(gaps.longest()).toEqual(
    new Map([
      [1, 300],
      [2, 50],
    ]),
  );
  gaps.begin();
  expect(gaps.worst()).toBe(50);
  jest.useRealTimers();
});
