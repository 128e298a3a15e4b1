import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { canonicalJson, isSameJson } from './canonical-json.js';
import { UnbindableError } from './errors.js';
import { faithfulCopy } from './faithful-copy.js';
import type { Json } from './json.js';
import { json, shuffled } from './testing/arbitrary-json.js';

function refusal(value: unknown): UnbindableError {
  try {
    canonicalJson(value);
  } catch (error) {
    if (error instanceof UnbindableError) return error;
    throw error;
  }
  throw new Error('It was written.');
}

class Money {
  constructor(readonly amount: number) {}
}
class List extends Array<number> {}
const cycle: Record<string, unknown> = { a: [] };
(cycle.a as unknown[]).push(cycle);
const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false });

const holes = [1, , 3];

describe('canonicalJson', () => {
  it.each<[string, unknown, string, string]>([
    ['a Date', { a: { when: new Date(0) } }, '/a/when', 'not-plain'],
    ['a Map', { a: new Map([['x', 1]]) }, '/a', 'not-plain'],
    ['a Set', { a: new Set([1]) }, '/a', 'not-plain'],
    ['a class instance', { a: [0, new Money(3)] }, '/a/1', 'not-plain'],
    ['an array of a class', { a: List.of(1) }, '/a', 'not-plain'],
    ['bytes', { a: Buffer.from('x') }, '/a', 'not-plain'],
    ['a boxed number', { a: Object(1) as unknown }, '/a', 'not-plain'],
    ['a function', { a: () => 1 }, '/a', 'not-plain'],
    ['an object that says how it is written', { a: { toJSON: () => 1 } }, '/a/toJSON', 'not-plain'],
    ['a symbol', { a: Symbol('x') }, '/a', 'not-plain'],
    ['a property named by a symbol', { a: { [Symbol('x')]: 1 } }, '/a', 'not-plain'],
    ['a hidden property', { a: hidden }, '/a', 'not-plain'],
    ['a named property of an array', { a: Object.assign([1], { b: 2 }) }, '/a', 'not-plain'],
    ['a bigint', { a: 1n }, '/a', 'not-plain'],
    ['NaN', { a: NaN }, '/a', 'not-finite'],
    ['Infinity', { a: Infinity }, '/a', 'not-finite'],
    ['-Infinity', [-Infinity], '/0', 'not-finite'],
    ['undefined in an array', { a: [1, undefined] }, '/a/1', 'undefined-in-array'],
    ['a hole in an array', { a: holes }, '/a/1', 'undefined-in-array'],
    ['an array of nothing but holes', { a: new Array(4_000_000_000) }, '/a/0', 'undefined-in-array'],
    ['a cycle', { x: cycle }, '/x/a/0', 'cycle'],
    ['half of a surrogate pair', { a: 'x\ud83d' }, '/a', 'lone-surrogate'],
    ['half of a surrogate pair in a name', { a: { '\ude00': 1 } }, '/a/\ufffd', 'lone-surrogate'],
    ['undefined', undefined, '', 'not-plain'],
    ['a name with pointer characters', { 'a/b~c': NaN }, '/a~1b~0c', 'not-finite'],
  ])('N4 refuses %s, by its path', (_, value, path, why) => {
    const error = refusal(value);
    expect(error).toMatchObject({ code: 'ERR_CONSENT_UNBINDABLE', path, why });
  });

  it('N4 never quotes a value', () => {
    const error = refusal({ secret: ['hunter2', { pin: 'hunter2\ud800' }] });
    expect(error.path).toBe('/secret/1/pin');
    expect(`${error.message} ${error.path}`).not.toContain('hunter2');
  });

  it('N4 refuses depth that would exhaust the stack, and takes what a person can be shown', () => {
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
    expect(refusal(nested(100_000)).why).toBe('too-deep');
    expect(canonicalJson(nested(200))).toHaveLength(400);
  });

  it('N3 takes a property whose value is undefined for absent, and -0 for 0', () => {
    expect(canonicalJson({ b: undefined, a: -0 })).toBe('{"a":0}');
    expect(Object.is((faithfulCopy({ a: -0 }) as { a: number }).a, 0)).toBe(true);
  });

  it('N3 writes plain objects of another realm and of no prototype', () => {
    expect(canonicalJson(runInNewContext('({ b: [1], a: {} })'))).toBe('{"a":{},"b":[1]}');
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it('N4 takes the same object at two places for no cycle', () => {
    const shared = { x: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"x":1},{"x":1}]');
  });

  it('N3 writes JSON that says the same, in one way whatever the order of properties', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('N11 and N3 call two values the same exactly where they are the same JSON', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(isSameJson(a, shuffled(a))).toBe(true);
        expect(isSameJson(a, b)).toBe(deepEqual(a, b));
      }),
    );
  });
});

/** By its own walk, not by text. */
function deepEqual(a: Json, b: Json): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  const other = b as Record<string, Json>;
  return (
    names.length === Object.keys(b).length &&
    names.every((n) => Object.hasOwn(b, n) && deepEqual((a as Record<string, Json>)[n]!, other[n]!))
  );
}
