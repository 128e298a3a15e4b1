import fc from 'fast-check';
import type { Json, JsonObject } from '../json.js';

/** Names that trip code which takes an object for a map, or text for ASCII. */
const name = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', '', '0', '10', '9', '~', '/', '\u0000', '€', '\ud83d\ude00', '\ufb33'),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  fc.integer(),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** By `fromEntries`, which takes `__proto__` for a property like any other, as parsing does. */
const objectOf = (entries: readonly (readonly [string, Json])[]): JsonObject => Object.fromEntries(entries);

const tree = fc.letrec<{ value: Json; object: JsonObject; array: Json[] }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.uniqueArray(fc.tuple(name, tie('value')), { maxLength: 5, selector: ([n]) => n }).map(objectOf),
}));

export const json = tree.value;
export const jsonObject = tree.object;

/** The same JSON in other places of memory, its properties in another order. */
export function shuffled(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return objectOf(
    Object.entries(value)
      .reverse()
      .map(([n, v]) => [n, shuffled(v)] as const),
  );
}
