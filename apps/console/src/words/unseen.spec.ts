import { jsonPieces, pieces, unseenIn } from './unseen.js';

const drawn = (text: string) => pieces(text).map((piece) => (piece.unseen === undefined ? piece.text : `[${piece.text}]`));
const drawnJson = (json: string) => jsonPieces(json).map((piece) => (piece.unseen === undefined ? piece.text : `[${piece.text}]`));

it('N51 draws what can be seen as it is', () => {
  expect(drawn('')).toEqual([]);
  expect(drawn('<b>Grüße</b> **x** 你好 שלום')).toEqual(['<b>Grüße</b> **x** 你好 שלום']);
});

it.each([
  ['zero-width space', 'a\u200bb', ['a', '[U+200B]', 'b']],
  ['right-to-left override', '\u202egnp.exe', ['[U+202E]', 'gnp.exe']],
  ['isolates', 'a\u2066b\u2069', ['a', '[U+2066]', 'b', '[U+2069]']],
  ['control', '\u0000\u001b[31m\u007f', ['[U+0000]', '[U+001B]', '[31m', '[U+007F]']],
  ['tag', 'ok\u{e0041}', ['ok', '[U+E0041]']],
  ['blanks that pass for a space', 'a\u00a0b\u3000c', ['a', '[U+00A0]', 'b', '[U+3000]', 'c']],
  ['drawn as nothing', '\u3164x\u2800', ['[U+3164]', 'x', '[U+2800]']],
  ['half of a pair', 'x\ud800y', ['x', '[U+D800]', 'y']],
  ['private use', '\ue000', ['[U+E000]']],
  ['line and tab', 'a\nb\tc', ['a', '[\\n]', 'b', '[\\t]', 'c']],
])('N51 draws a chip for each: %s', (_, text, expected) => expect(drawn(text)).toEqual(expected));

it('N51 draws marks that pile up past three', () => {
  expect(drawn('e\u0301')).toEqual(['e\u0301']);
  expect(drawn(`e${'\u0301'.repeat(5)}`)).toEqual([`e${'\u0301'.repeat(3)}`, '[U+0301]', '[U+0301]']);
});

it('N51 reads the escapes of JSON, and never what only looks like one', () => {
  expect(drawnJson('"a\\u202eb"')).toEqual(['"a', '[U+202E]', 'b"']);
  expect(drawnJson('"a\\\\u202eb"').join('')).toBe('"a\\\\u202eb"');
  expect(drawnJson('"\\\\\\u200b"')).toEqual(['"\\\\', '[U+200B]', '"']);
  expect(drawnJson('"\\udb40\\udc41"')).toEqual(['"', '[U+E0041]', '"']);
  expect(drawnJson('"\\n\\"\\t"')).toEqual(['"', '[\\n]', '\\"', '[\\t]', '"']);
});

it('N51 counts what nobody would have seen', () => {
  expect(unseenIn(pieces('a\u200bb\u202ec\nd\te'))).toBe(2);
  expect(unseenIn(jsonPieces('"\\u0000\\u200b\\n"'))).toBe(2);
});
