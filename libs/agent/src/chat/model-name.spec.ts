import fc from 'fast-check';
import { modelName } from './model-name.js';

it.each([
  ['files.read', 'files__read'],
  ['my-server.read_file-2', 'my-server__read_file-2'],
])('L20 keeps %s readable: %s', (name, mapped) => expect(modelName(name)).toBe(mapped));

it('M7 maps no two names to one, and each into what a model takes', () => {
  // Letters that collide where a mapping is careless.
  const name = fc.string({ unit: fc.constantFrom('a', '_', '.', '-', '/', 'é', ' '), maxLength: 80 });
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(name, (given) => {
      const mapped = modelName(given);
      expect(mapped).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(seen.get(mapped) ?? given).toBe(given);
      seen.set(mapped, given);
    }),
    { numRuns: 3_000 },
  );
});

it.each([
  ['a.b', 'a__b'],
  ['a.b_', 'a._b'],
  ['a.b.c', 'a__b.c'],
  [`s.${'x'.repeat(100)}`, `s.${'x'.repeat(101)}`],
  ['s.é', 's.è'],
])('M7 tells %s from %s', (one, other) => expect(modelName(one)).not.toBe(modelName(other)));
