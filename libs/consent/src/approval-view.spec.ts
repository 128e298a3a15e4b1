import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { approvalView } from './approval-view.js';
import { canonicalJson } from './canonical-json.js';
import { mint } from './mint.js';
import { shown } from './shown.js';
import { jsonObject } from './testing/arbitrary-json.js';
import { checkIn, NONCE } from './testing/sample-call.js';

const viewOf = (args: unknown, maxChars?: number) => approvalView(mint({ ...checkIn, args }, NONCE), maxChars);
/** Independent of the code under test: by code points. */
const unseen = [
  [0x00, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x061c, 0x061c], [0x115f, 0x1160], [0x180e, 0x180e], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f],
  [0x2800, 0x2800], [0x3164, 0x3164], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff9, 0xfffb], [0xe0001, 0xe0001], [0xe0020, 0xe007f], [0xe0100, 0xe01ef],
] as const; // prettier-ignore
const isUnseen = (c: string) => unseen.some(([from, to]) => c.codePointAt(0)! >= from && c.codePointAt(0)! <= to);

describe('shown', () => {
  it.each([
    ['a\u0000b', 'a\\u0000b'],
    ['one\ntwo\r\ttab', 'one\\u000atwo\\u000d\\u0009tab'],
    ['pay\u200b\u200dpal', 'pay\\u200b\\u200dpal'],
    ['\u202egnp.exe', '\\u202egnp.exe'],
    ['\u2066x\u2069', '\\u2066x\\u2069'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['half \ud83d', 'half \\ud83d'],
    ['\\u200b', '\\\\u200b'],
    ['Grüße, 世界 😀', 'Grüße, 世界 😀'],
  ])('N51 shows %j as %j', (text, seen) => {
    expect(shown(text)).toBe(seen);
  });

  it('N51 leaves no unseen character, and never shows two texts alike', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\\', 'u', '2', '0', 'b', '"'),
        fc.constantFrom(...unseen.flat()).map((c) => String.fromCodePoint(c)),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(text, (t) => {
        const seen = shown(t);
        expect([...seen].filter(isUnseen)).toEqual([]);
        expect(JSON.parse(`"${seen.replaceAll('"', '\\"')}"`)).toBe(t);
      }),
    );
  });

  it('N51 sees every character of the ranges', () => {
    for (const [from, to] of unseen)
      for (let c = from; c <= to; c++) expect(shown(String.fromCodePoint(c))).toMatch(/^(\\u[0-9a-f]{4}){1,2}$/);
  });
});

describe('approvalView', () => {
  it('N51 shows the exact arguments, whole: what is seen is still the same JSON', () => {
    fc.assert(
      fc.property(jsonObject, (args) => {
        const view = viewOf(args);
        expect(canonicalJson(JSON.parse(view.text))).toBe(canonicalJson(args));
        expect([...view.text.replaceAll('\n', '')].filter(isUnseen)).toEqual([]);
        expect(view.digest).toBe(createHash('sha256').update(canonicalJson(args)).digest('hex'));
        expect(view).toMatchObject({ isCut: false, requestId: mint({ ...checkIn, args }, NONCE).requestId });
      }),
    );
  });

  it('N51 shows them in the canonical order, one place a line', () => {
    expect(viewOf({ 10: [], 9: {}, b: [1, { x: 'a,b:{}' }], a: '\u202e"' }).text).toBe(
      [
        '{',
        '  "10": [],',
        '  "9": {},',
        '  "a": "\\u202e\\"",',
        '  "b": [',
        '    1,',
        '    {',
        '      "x": "a,b:{}"',
        '    }',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('N51 keeps other people’s text inside its own field: no argument can start a line of the view', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(viewOf({ text, z: 1 }).text.split('\n')).toHaveLength(4);
      }),
    );
  });

  it('N51 gives a view that was cut no id to approve by', () => {
    const args = { text: '😀'.repeat(50) };
    const whole = viewOf(args);
    for (let room = 0; room < whole.text.length; room++) {
      const cut = viewOf(args, room);
      expect(cut).toEqual({ isCut: true, digest: whole.digest, text: expect.any(String) });
      expect(whole.text.startsWith(cut.text) && cut.text.length <= room && !/\p{Surrogate}/u.test(cut.text)).toBe(true);
    }
    expect(viewOf(args, whole.text.length)).toEqual(whole);
  });

  it('N51 shows arguments of megabytes', () => {
    const view = viewOf({ text: '"\\x'.repeat(1_000_000), list: Array.from({ length: 20_000 }, (_, i) => i) });
    expect(view.isCut).toBe(false);
  });
});
