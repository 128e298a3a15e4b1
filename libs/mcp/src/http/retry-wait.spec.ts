import { waitAfter } from './retry-wait.js';

const now = Date.parse('Tue, 01 Dec 2026 12:00:00 GMT');

describe('the wait between two tries', () => {
  it('M3 waits 200·2^(n−1) ms with half jitter, and has at most three tries', () => {
    expect([0, 0.5, 1].map((random) => waitAfter(1, 0, null, now, random))).toEqual([100, 150, 200]);
    expect([0, 1].map((random) => waitAfter(2, 0, null, now, random))).toEqual([200, 400]);
    expect(waitAfter(3, 0, null, now, 0)).toBeUndefined();
  });

  it.each([
    ['2', 2_000],
    ['0', 0],
    ['Tue, 01 Dec 2026 12:00:03 GMT', 3_000],
    ['Tue, 01 Dec 2026 11:00:00 GMT', 0],
  ])('M3 honours Retry-After, in seconds or to a date: %s', (header, ms) => expect(waitAfter(1, 0, header, now, 0)).toBe(ms));

  it.each(['soon', '-1', '1.5', '2026-12-01', ''])('M3 takes a Retry-After it cannot read for none: "%s"', (header) =>
    expect(waitAfter(1, 0, header, now, 0)).toBe(100),
  );

  it('M3 ends the series where the waits together would pass ten seconds', () => {
    expect(waitAfter(1, 0, '10', now, 0)).toBe(10_000);
    expect(waitAfter(1, 0, '11', now, 0)).toBeUndefined();
    expect(waitAfter(2, 9_000, '2', now, 0)).toBeUndefined();
  });
});
