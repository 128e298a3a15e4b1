import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { canonicalJson, isSameJson } from './canonical-json.js';
import { GrantPatternError } from './errors.js';
import { compilePattern, exactPattern } from './grant-pattern.js';
import type { JsonObject } from './json.js';
import { loosenessOf } from './looseness.js';
import { jsonObject, shuffled } from './testing/arbitrary-json.js';

const args = { path: '/tmp/x', mode: { deep: [1, null] }, force: false } as const;

describe('an exact pattern', () => {
  it('N52 is exact for a name that is empty too, and no other pattern may require one', () => {
    const pattern = compilePattern(exactPattern({ '': 1, x: 2 }));
    expect([{ '': 1, x: 2 }, { x: 2 }, { '': 1 }, {}].map((args) => pattern.matches(args as never))).toEqual([true, false, false, false]);
    expect(() => compilePattern({ type: 'object', properties: { '': { type: 'string' } }, required: [''] })).toThrow(GrantPatternError);
  });

  it('N52 matches the arguments it was made from and no others', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (a, b) => {
        const pattern = compilePattern(exactPattern(a));
        if (!/"(__proto__|constructor|toString|valueOf)":/.test(JSON.stringify(a)))
          expect(pattern.matches(shuffled(a) as JsonObject)).toBe(true);
        if (!isSameJson(a, b)) expect(pattern.matches(b)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, JsonObject]>([
    ['another value', { ...args, force: true }],
    ['another value deep inside', { ...args, mode: { deep: [1, 0] } }],
    ['a further property', { ...args, more: 1 }],
    ['a further property deep inside', { ...args, mode: { deep: [1, null], more: 1 } }],
    ['one property fewer', { path: '/tmp/x', force: false }],
    ['none', {}],
    ['a value that only looks the same', { ...args, path: ['/tmp/x'] }],
  ])('N52 does not match %s', (_, other) => {
    expect(compilePattern(exactPattern(args)).matches(other)).toBe(false);
  });

  it('N52 is not fooled by what every object inherits', () => {
    const pattern = compilePattern({ type: 'object', required: ['constructor'], properties: { constructor: {} } });
    expect([pattern.matches({}), pattern.matches({ constructor: 1 })]).toEqual([false, true]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'valueOf'])(
    'N52 matches nothing rather than too much where an argument is named %s',
    (name) => {
      const named = (value: number) => JSON.parse(`{"a":{"${name}":${value}},"${name}":${value}}`) as JsonObject;
      const pattern = compilePattern(exactPattern(named(1)));
      expect([pattern.matches(named(2)), pattern.matches({}), pattern.matches({ a: {} })]).toEqual([false, false, false]);
    },
  );

  it('N52 lets nothing else through', () => {
    expect(loosenessOf(compilePattern(exactPattern(args)), args)).toEqual({ changed: [], missing: [], further: false });
  });
});

describe('a looser pattern', () => {
  it('N52 shows what else it would match', () => {
    const loose = {
      type: 'object',
      properties: { path: { type: 'string', minLength: 3 }, force: { const: false } },
      required: ['path', 'force'],
    };
    expect(loosenessOf(compilePattern(loose), args)).toEqual({ changed: ['path', 'mode'], missing: ['mode'], further: true });
  });

  it('N52 shows a neighbour of each kind of value', () => {
    const values = { text: 'x', count: 3, flag: true, list: [], record: {}, nothing: null };
    expect(loosenessOf(compilePattern((true as never as JsonObject) === undefined ? {} : {}), values).changed).toEqual(Object.keys(values));
    const types = { text: { type: 'string' }, count: { type: 'integer' }, list: { type: 'array' }, record: { type: 'object' } };
    const { changed, missing } = loosenessOf(
      compilePattern({ ...exactPattern(values), properties: { ...(exactPattern(values).properties as object), ...types } }),
      values,
    );
    expect([changed, missing]).toEqual([Object.keys(types), []]);
  });
});

describe('compilePattern', () => {
  it('N52 names a schema by the hash of its canonical text', () => {
    const schema = { type: 'object', additionalProperties: false };
    const hash = createHash('sha256').update('{"additionalProperties":false,"type":"object"}').digest('hex');
    expect(compilePattern(schema).schemaHash).toBe(hash);
    expect(canonicalJson(compilePattern(schema).schema)).toBe(canonicalJson(schema));
  });

  it('N52 takes a detached copy: a schema changed later changes no grant', () => {
    const schema = { properties: { a: { const: 1 } } };
    const pattern = compilePattern(schema);
    schema.properties.a.const = 2;
    expect([pattern.matches({ a: 1 }), pattern.matches({ a: 2 }), pattern.schema]).toEqual([
      true,
      false,
      { properties: { a: { const: 1 } } },
    ]);
  });

  it.each<[string, unknown]>([
    ['text', 'path == "/tmp"'],
    ['`true`', true],
    ['a list', []],
    ['what JSON cannot write', { const: 1n }],
    ['a keyword nobody knows, which would constrain nothing', { properties: { a: { maxlength: 3 } } }],
    ['a format nobody checks', { properties: { a: { type: 'string', format: 'email' } } }],
    ['an invalid constraint', { properties: { a: { minLength: -1 } } }],
    ['a reference to another schema', { $ref: 'https://schemas.example/x' }],
    ['a schema that answers later', { $async: true, type: 'object' }],
    ['a schema that takes the name of the one that judges schemas', { $id: 'https://json-schema.org/draft/2020-12/schema' }],
    ['a text nobody can read', { enum: Array.from({ length: 5_000 }, (_, i) => `value ${i}`) }],
  ])('N52 takes for no pattern: %s', (_, schema) => {
    expect(() => compilePattern(schema)).toThrow(GrantPatternError);
    expect(() => compilePattern(schema)).toThrow(expect.objectContaining({ code: 'ERR_GRANT_PATTERN' }));
    expect(compilePattern({ minProperties: 1 }).matches({})).toBe(false);
  });

  it('N52 compiles one schema for two grants', () => {
    const [a, b] = [compilePattern(exactPattern(args)), compilePattern(exactPattern(args))];
    expect([a.matches(args), b.matches(args), a.schemaHash === b.schemaHash]).toEqual([true, true, true]);
  });
});
