import { differences } from './differences.js';
import { jsonLines } from './json-lines.js';

const between = (now: unknown, before: unknown) => {
  const [a, b] = [now, before].map((value) => jsonLines(JSON.stringify(value, null, 2)));
  const { changed, gone, count } = differences(a!, b!);
  return { changed: Object.fromEntries(changed), gone: gone.map(({ path }) => path), count };
};

it('N51 finds nothing between equal calls', () => {
  expect(between({ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] })).toEqual({ changed: {}, gone: [], count: 0 });
});

it('N51 says what a changed value was, and how many times as much a number is', () => {
  const { changed, count } = between({ amount: '1240.00', n: 4, to: 'ann', z: 0 }, { amount: '120.00', n: 1, to: 'bob', z: 5 });
  expect(count).toBe(4);
  expect(changed['/amount']!.times).toBeCloseTo(10.33, 2);
  expect(changed['/n']).toEqual({ was: '1', times: 4 });
  expect(changed['/to']).toEqual({ was: '"bob"' });
  expect(changed['/z']).toEqual({ was: '5' });
});

it('N51 counts each value that was not there, and names each that is gone', () => {
  expect(between({ a: 1, more: { b: 2, c: [3] } }, { a: 1, old: ['x'] })).toEqual({
    changed: { '/more/b': {}, '/more/c/0': {} },
    gone: ['/old/0'],
    count: 3,
  });
});

it('N51 tells a text from a number, and a value from an object', () => {
  expect(between({ a: '1', b: { c: 1 } }, { a: 1, b: 2 })).toEqual({
    changed: { '/a': { was: '1', times: 1 }, '/b': { was: '2' }, '/b/c': {} },
    gone: [],
    count: 3,
  });
});
