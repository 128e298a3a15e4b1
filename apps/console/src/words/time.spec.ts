import { ago, lasting, left, moment, zone } from './time.js';

it.each([
  [-5, '0:00'],
  [1, '0:01'],
  [252_000, '4:12'],
  [5_400_000, '1 h 30 m'],
  [3 * 86_400_000 + 4 * 3_600_000, '3 d 4 h'],
])('N8 counts %d ms down as %s', (ms, text) => expect(left(ms)).toBe(text));

it.each([
  [84, '84 ms'],
  [1400, '1.4 s'],
  [42_000, '42 s'],
  [126_000, '2 min 6 s'],
  [120_000, '2 min'],
  [5_400_000, '1 h 30 min'],
  [5 * 86_400_000, '5 d'],
])('says that %d ms last %s', (ms, text) => expect(lasting(ms)).toBe(text));

it('says how long ago a time was, and now for one that a clock puts ahead', () => {
  expect([ago(0, 9000), ago(0, 1000), ago(5000, 0), ago(0, 61_000)]).toEqual(['9 s ago', 'now', 'now', '1 min 1 s ago']);
});

it('P2 names the day where it is another one, and the zone', () => {
  const at = new Date(2026, 10, 27, 16, 4, 10).getTime();
  expect(moment(at, at + 1000)).toBe('16:04:10');
  expect(moment(at, at + 86_400_000)).toBe('27 Nov 16:04:10');
  expect(moment(at, at + 366 * 86_400_000)).toBe('27 Nov 2026 16:04:10');
  expect(zone(at)).toMatch(/^UTC([+−]\d{1,2}(:\d{2})?)?$/);
});
