import { differences } from './differences.js';
import { jsonLines } from './json-lines.js';
import { argumentRows, wrapped, type Cell } from './rows.js';

const textOf = (cells: readonly Cell[]) => cells.map(({ text }) => text).join('');
const rowsOf = (value: unknown, columns: number) => argumentRows(jsonLines(JSON.stringify(value, null, 2)), { columns, oldColumns: 0 });

it('N51 puts every character of a long value on some row, in order', () => {
  const long = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ');
  const rows = rowsOf({ long }, 60);
  const shown = rows.map(({ cells }) => textOf(cells.filter(({ role }) => role === 'text'))).join('');
  expect(shown).toBe(JSON.stringify(long));
  expect(Math.max(...rows.map(({ cells }) => textOf(cells).length))).toBeLessThanOrEqual(60);
});

it('N51 breaks between words where it can, and inside a word where it must', () => {
  const rows = wrapped([{ text: `aaaa bbbb cccc ${'d'.repeat(25)}`, role: 'text' }], 12).map(textOf);
  expect(rows).toEqual(['aaaa bbbb ', 'cccc ddddddd', 'dddddddddddd', 'dddddd']);
});

it('N51 counts wide characters as two, and keeps marks with their letter', () => {
  expect(wrapped([{ text: '你好世界', role: 'text' }], 4).map(textOf)).toEqual(['你好', '世界']);
  expect(wrapped([{ text: 'abe\u0301d', role: 'text' }], 3).map(textOf)).toEqual(['abe\u0301', 'd']);
});

it('N51 begins a row after a line break of the text, and cuts no chip in two', () => {
  const rows = rowsOf(['one\ntwo\u200b'], 10);
  expect(rows.map(({ cells }) => textOf(cells))).toEqual(['[', '  "one\\n', '  two', '  U+200B"', ']']);
});

it('N51 draws the earlier value beside, or below where there is no room', () => {
  const now = jsonLines('{\n  "a": "x"\n}');
  const before = jsonLines('{\n  "a": "y"\n}');
  const both = (oldColumns: number) => argumentRows(now, { columns: 40, oldColumns, differences: differences(now, before) });
  expect(both(20).map(({ cells, old }) => [textOf(cells), textOf(old)])).toEqual([
    ['{', ''],
    ['  "a": "x"', '"y"'],
    ['}', ''],
  ]);
  expect(both(0).map(({ cells }) => textOf(cells))).toEqual(['{', '  "a": "x"', '  "y"', '}']);
});

it('N51 lays out 300 KB, as one value and as many', () => {
  const one = rowsOf({ text: 'x'.repeat(300_000) }, 90);
  const many = rowsOf(
    Array.from({ length: 10_000 }, (_, id) => ({ id, name: `item ${id}` })),
    90,
  );
  expect([one.length, many.length]).toEqual([3412, 40_002]);
});
