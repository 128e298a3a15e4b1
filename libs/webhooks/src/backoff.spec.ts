import { waitAfter } from './backoff.js';

const HOUR = 3_600_000;

it('N54 waits three times as long after each try, up to six hours, and by chance up to half less', () => {
  const longest = Array.from({ length: 12 }, (_, i) => waitAfter(i + 1, 0, () => 0) / 1000);
  expect(longest).toEqual([2, 6, 18, 54, 162, 486, 1458, 4374, 13122, 21600, 21600, 21600]);
  expect([waitAfter(1, 0, () => 0.5), waitAfter(20, 0, () => 1)]).toEqual([1500, 3 * HOUR]);
});

it('N54 waits as long as the receiver asks, and never longer than a day for that', () => {
  expect([waitAfter(1, 90_000), waitAfter(1, 1000 * HOUR), waitAfter(10, 1000, () => 0)]).toEqual([90_000, 24 * HOUR, 6 * HOUR]);
});
