import { GrantPatternError, exactPattern, type JsonObject } from '@doorledger/consent';
import { compileGrantPattern } from './pattern-keywords.js';

it('N52 takes the pattern of one click, and patterns that one pass over the arguments judges', () => {
  const args = { pattern: 'x', format: ['y'], $ref: 1 };
  expect(compileGrantPattern(exactPattern(args)).matches(args)).toBe(true);
  const loose = {
    type: 'object',
    properties: { to: { enum: ['ann', 'bob'] }, sums: { type: 'array', items: { type: 'number', maximum: 9 }, maxItems: 2 } },
    required: ['to'],
    propertyNames: { maxLength: 4 },
    additionalProperties: { anyOf: [{ type: 'null' }, { not: { type: 'string' } }] },
  };
  const { matches } = compileGrantPattern(loose);
  expect(
    [{ to: 'ann', sums: [9] }, { to: 'eve' }, { to: 'bob', more: 'text' }, { to: 'bob', more: 1 }].map((one) =>
      matches(one as unknown as JsonObject),
    ),
  ).toEqual([true, false, false, true]);
});

it.each<[string, object]>([
  ['a regular expression', { properties: { a: { type: 'string', pattern: '(a+)+$' } } }],
  ['regular expressions of names', { patternProperties: { '(a+)+$': true } }],
  ['a format', { properties: { a: { format: 'date' } } }],
  ['one inside of a list', { anyOf: [true, { items: { type: 'string', pattern: 'a' } }] }],
  ['a reference to itself', { $ref: '#' }],
  ['definitions', { $defs: { a: true } }],
  ['conditions', { if: { pattern: 'a' } }],
])('N52 refuses %s: a careless one could stop a host', (_, schema) => {
  expect(() => compileGrantPattern(schema)).toThrow(GrantPatternError);
});
