import fc from 'fast-check';
import { readPlace, writePlace } from './feed-place.js';

const topics = new Map([
  ['a', 3],
  ['b', 1],
]);

it('P2 resumes from the very place an id was written for', () => {
  const offset = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(fc.tuple(offset, offset, offset), offset, (a, b) => {
      const place = { a, b: [b] };
      expect(readPlace(topics, writePlace(['a', 'b'], place))).toEqual(place);
    }),
  );
});

it('P2 takes nothing else for an id: no text, no id of other partitions, none that was cut', () => {
  const id = writePlace(['a', 'b'], { a: [1, 200, 3], b: [70_000] });
  expect(readPlace(new Map([['a', 4]]), id)).toEqual({ a: [1, 200, 3, 70_000] });
  for (const text of ['', 'hello', id.slice(0, -2), `${id}AA`, writePlace(['a'], { a: [1, 2, 3] }), '_'.repeat(40)])
    expect([text, readPlace(topics, text)]).toEqual([text, undefined]);
});
