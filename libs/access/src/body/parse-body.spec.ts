import fc from 'fast-check';
import { parseBody } from './parse-body.js';

const parse = (text: string) => parseBody(Buffer.from(text));

it('D17 takes nothing, null, a number, a string and an array as no fields', () => {
  expect(parseBody(undefined)).toEqual({ fields: {} });
  for (const text of ['', 'null', '1', '"x"', '[1,{"input":"x"}]']) expect(parse(text)).toEqual({ fields: {} });
});

it('D17 refuses what is not JSON, broken UTF-8 included', () => {
  for (const text of ['{', '{"input":}', 'input=x', '{"a":1}}']) expect(parse(text)).toEqual({ problem: 'not-json' });
  expect(parseBody(Buffer.from([0x22, 0xc3, 0x22]))).toEqual({ problem: 'not-json' });
});

it('D26 refuses a body that names a key twice at its top level, also in another spelling', () => {
  expect(parse('{"input":"a","input":"b"}')).toEqual({ problem: 'repeated-key' });
  expect(parse('{"input":"a","\\u0069nput":"b"}')).toEqual({ problem: 'repeated-key' });
  expect(parse('{"__proto__":1,"__proto__":2}')).toEqual({ problem: 'repeated-key' });
});

it('D26 says nothing of keys further down, nor of text that looks like keys', () => {
  const text = '{"a":{"x":1,"x":2},"b":"\\"c\\":\\\\","c":[{"y":1},{"y":2}]}';
  expect(parse(text)).toEqual({ fields: JSON.parse(text) as object });
});

it('D26 takes every object that JSON.stringify writes as it is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { noNullPrototype: true }), (value) => {
      const text = JSON.stringify(value);
      expect(parse(text)).toEqual({ fields: JSON.parse(text) as object });
    }),
  );
});
