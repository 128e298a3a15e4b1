import fc from 'fast-check';
import { parseArguments } from './argument-text.js';
import { canonicalJson } from './canonical-json.js';
import { UnbindableError } from './errors.js';
import { isNumberKept } from './number-text.js';
import { jsonObject } from './testing/arbitrary-json.js';

describe('parseArguments', () => {
  it('N4 reads every faithful object back from its text, however it is spaced', () => {
    fc.assert(
      fc.property(jsonObject, fc.constantFrom(undefined, 1, '\t'), (args, space) => {
        expect(canonicalJson(parseArguments(JSON.stringify(args, null, space)))).toBe(canonicalJson(args));
      }),
    );
  });

  it('N4 points at the one changed number, wherever it stands', () => {
    const PLANT = '123456789012345678901';
    fc.assert(
      fc.property(jsonObject, fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.nat(3)), { minLength: 1, maxLength: 5 }), (noise, path) => {
        const planted = path.reduceRight<string>(
          (inner, step) =>
            typeof step === 'number'
              ? `[${'0,'.repeat(step)}${inner}]`
              : `{"noise\\u0000":${JSON.stringify(noise)},${JSON.stringify(step)}:${inner}}`,
          PLANT,
        );
        const pointer = path.map((p) => `/${String(p).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        expect(() => parseArguments(`{"x":${planted}}`)).toThrow(
          expect.objectContaining({ path: `/args/x${pointer}`, why: 'number-changed' }),
        );
      }),
    );
  });

  it('N4 never quotes the text', () => {
    for (const text of ['{"a":hunter2}', '{"a":7777777777777777777}', '"hunter2"'])
      try {
        parseArguments(text);
        throw new Error('It was read.');
      } catch (error) {
        expect(error).toBeInstanceOf(UnbindableError);
        expect(`${(error as UnbindableError).message}${(error as UnbindableError).path}`).not.toMatch(/hunter2|777/);
      }
  });

  it('N4 and N5 read a large text, a deep one included, into frozen arguments', () => {
    const args = parseArguments(
      JSON.stringify({ text: '\\"x'.repeat(1_000_000), rows: Array.from({ length: 10_000 }, (_, i) => ({ i })) }),
    );
    expect(args.text).toHaveLength(3_000_000);
    expect(Object.isFrozen(args) && Object.isFrozen(args.rows)).toBe(true);
    expect(() => parseArguments(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)).toThrow(expect.objectContaining({ why: 'too-deep' }));
  });
});

describe('isNumberKept', () => {
  it('N4 keeps every double that JSON wrote, in any spelling of the same decimal', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(5), (value, zeros) => {
        const text = JSON.stringify(value);
        expect(isNumberKept(text)).toBe(true);
        const [mantissa, exponent] = text.split('e');
        const padded = (mantissa!.includes('.') ? mantissa! : `${mantissa}.`) + '0'.repeat(zeros + 1);
        expect(isNumberKept(exponent === undefined ? padded : `${padded}E${exponent}`)).toBe(true);
      }),
    );
  });

  it('N4 keeps an integer exactly when the double shows the same digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (n) => {
        // The shortest digits of the double, as an integer.
        const [digits = '', exponent = '0'] = Number(n).toExponential().split('e');
        const shown = BigInt(digits.replace('.', '')) * 10n ** BigInt(Math.max(0, Number(exponent) - (digits.split('.')[1]?.length ?? 0)));
        expect(isNumberKept(String(n))).toBe(shown === n);
      }),
    );
  });

  it('N4 keeps zero in every spelling and loses what rounds to it', () => {
    for (const zero of ['0', '-0', '0.000', '0e99999', '-0.0E-400']) expect(isNumberKept(zero)).toBe(true);
    for (const tiny of ['1e-400', '-0.1e-999999999999999999999', '2e-324', '4e-324']) expect(isNumberKept(tiny)).toBe(false);
  });

  it('N4 judges very long digits in linear time', () => {
    expect(isNumberKept(`0.${'0'.repeat(2_000_000)}1`)).toBe(false);
    expect(isNumberKept(`1${'0'.repeat(300)}.${'0'.repeat(2_000_000)}`)).toBe(true);
  });
});
