import { seeded } from '../seeded.js';
import { planPauses } from './pause-plan.js';

const first = (count: number, seed: number, longestMs = 40_000) => {
  const plan = planPauses({ random: seeded(seed), shortestMs: 5000, longestMs, burst: 40 });
  return Array.from({ length: count }, () => plan.next().value);
};

it('plans the same pauses for the same seed, others for another, each within its bounds, and half of them past a lease', () => {
  expect(first(20, 7)).toEqual(first(20, 7));
  expect(first(20, 8)).not.toEqual(first(20, 7));
  const pauses = first(200, 1);
  for (const { awayMs, nth } of pauses) {
    expect(awayMs).toBeGreaterThanOrEqual(5000);
    expect(awayMs).toBeLessThanOrEqual(40_000);
    expect(nth).toBeGreaterThan(0);
    expect(nth).toBeLessThanOrEqual(40);
  }
  const long = pauses.filter(({ awayMs }) => awayMs > 30_000).length;
  expect(long).toBeGreaterThan(70);
  expect(long).toBeLessThan(130);
  expect(first(50, 1, 6000).every(({ awayMs }) => awayMs >= 5000 && awayMs <= 6000)).toBe(true);
});
