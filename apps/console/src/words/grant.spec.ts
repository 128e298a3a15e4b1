import { compilePattern, exactPattern } from '@doorledger/consent';
import { choicesOf, coversOf, draftProblem, isExact, loosenessWords, patternOf, periodName, readGrantDraft } from './grant.js';

const args = { to: 'ann', amount: 7, urgent: true, items: [1], more: { a: null }, none: null };

it('N52 makes the very pattern that one click has where nothing is left open', () => {
  expect(isExact(args, {})).toBe(true);
  expect(patternOf(args, {})).toEqual(exactPattern(args));
  expect(patternOf({}, {})).toEqual(exactPattern({}));
});

it('N52 lets through what it says and nothing else', () => {
  const choices = { to: 'any', amount: 'up-to' } as const;
  const pattern = patternOf(args, choices);
  expect(isExact(args, choices)).toBe(false);
  const { matches } = compilePattern(pattern);
  const others = [args, { ...args, to: 'bob', amount: 0 }, { ...args, amount: 6.5 }];
  for (const fits of others) expect(matches(fits)).toBe(true);
  const { none: _, ...missing } = args;
  const further = { ...args, also: 1 };
  for (const not of [missing, further, { ...args, to: 1 }, { ...args, amount: 8 }, { ...args, amount: -1 }, { ...args, items: [2] }])
    expect(matches(not)).toBe(false);
  expect(coversOf(pattern)).toEqual([
    { name: 'to', says: 'any', value: 'text' },
    { name: 'amount', says: 'at most', value: '0 to 7' },
    { name: 'urgent', says: 'exactly', value: 'true' },
    { name: 'items', says: 'exactly', value: '[1]' },
    { name: 'more', says: 'exactly', value: '{"a":null}' },
    { name: 'none', says: 'exactly', value: 'null' },
  ]);
});

it('N52 puts no pattern in words that says anything more, or less', () => {
  const pattern = patternOf({ a: 1 }, {});
  const one = (schema: object) => ({ ...pattern, properties: { a: schema } });
  for (const other of [
    { ...pattern, additionalProperties: true },
    { ...pattern, required: [] },
    { ...pattern, not: {} },
    { ...pattern, minProperties: 2 },
    {},
    one({ type: 'string', maxLength: 4 }),
    one({ enum: [1] }),
    one({ type: ['string', 'null'] }),
    one({ type: 'number', minimum: 1, maximum: 2 }),
  ])
    expect(coversOf(other)).toBeUndefined();
});

it('N52 offers what an argument can be, and reads what was kept of a draft', () => {
  expect([null, 'x', 0, -1, 7].map(choicesOf)).toEqual([
    ['exact'],
    ['exact', 'any'],
    ['exact', 'any'],
    ['exact', 'any'],
    ['exact', 'up-to', 'any'],
  ]);
  expect(isExact({ a: null, constructor: 'x' }, { a: 'any' })).toBe(true);
  expect([readGrantDraft(''), readGrantDraft('{"count": "9", "period": 1}')]).toEqual([
    { choices: {}, count: '5', period: 86_400_000 },
    { choices: {}, count: '9', period: 86_400_000 },
  ]);
  const draft = readGrantDraft('');
  expect(['1', '1000', '0', '1001', '1.5', ''].filter((count) => draftProblem(args, { ...draft, count }) === undefined)).toEqual([
    '1',
    '1000',
  ]);
  expect(draftProblem({ a: 'x'.repeat(16_384) }, draft)).toContain('too long');
  expect([3_600_000, 28_800_000, 86_400_000, 604_800_000].map(periodName)).toEqual(['1 hour', '8 h', '1 day', '7 days']);
});

it('N52 says in one sentence what the host found that a grant lets through', () => {
  expect(loosenessWords({ changed: [], missing: [], further: false })).toBe(
    'none may have another value, none may be missing, and no other may be added.',
  );
  expect(loosenessWords({ changed: ['a', 'b'], missing: ['c'], further: true })).toBe(
    'a, b may have another value, c may be missing, and others may be added.',
  );
});
