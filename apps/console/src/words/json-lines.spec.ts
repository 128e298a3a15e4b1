import { canonicalOf, jsonLines } from './json-lines.js';

const text = (value: unknown) => JSON.stringify(value, null, 2);

it('N51 knows the place of every value, whatever its key and text hold', () => {
  const lines = jsonLines(text({ a: 1, 'b/c~d': [{ 'x: y': '{', e: [] }, ']"\\,'], 'say "}"': {} }));
  expect(lines.filter(({ path }) => path !== undefined).map(({ path, value }) => [path, value])).toEqual([
    ['', '{'],
    ['/a', '1'],
    ['/b~1c~0d', '['],
    ['/b~1c~0d/0', '{'],
    ['/b~1c~0d/0/x: y', '"{"'],
    ['/b~1c~0d/0/e', '[]'],
    ['/b~1c~0d/1', '"]\\"\\\\,"'],
    ['/say "}"', '{}'],
  ]);
});

it('N51 leaves out nothing: its lines make the text again', () => {
  const whole = text({ a: ['x,', { b: null }], c: 'ends with a comma,', d: [[], {}, [[1]]] });
  const again = jsonLines(whole).map(
    ({ depth, key, value, hasComma }) => `${'  '.repeat(depth)}${key === undefined ? '' : `${key}: `}${value}${hasComma ? ',' : ''}`,
  );
  expect(again.join('\n')).toBe(whole);
});

it('N51 gives back the canonical text that the digest covers, from indented text with escapes', () => {
  expect(canonicalOf('{\n  "a\\u202e": [\n    1,\n    "x  y\\n\\u200b\\""\n  ]\n}')).toBe('{"a\u202e":[1,"x  y\\n\u200b\\""]}');
});

it('N51 reads 300 KB on one line', () => {
  const long = 'x\\"'.repeat(100_000);
  const [, line] = jsonLines(`[\n  "${long}"\n]`);
  expect(line!.value.length).toBe(long.length + 2);
});
