import fc from 'fast-check';
import { HeadersJson, decode, encode, eventOf, factByType, topics, type FactEvent } from './index.js';
import { arbitraryEvent } from './testing/arbitrary-fact.js';
import { whyInvalid } from './validate.js';

const origin = { source: '/doorledger/test/host', now: () => 0 };
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const renewed = eventOf({ type: 'turn.renewed', data: { turnId: id(1), runId: id(2) } }, origin);
const froze = (why: string) =>
  eventOf({ type: 'freeze.set', data: { freezeId: id(1), target: { kind: 'everything' }, by: 'a'.repeat(32), why } }, origin);

it('L8 reads the kind of a record whose body cannot be read', () => {
  const record = encode(renewed);
  const kind = { type: 'turn.renewed', id: renewed.id, subject: renewed.subject };
  for (const body of ['{', 'null', '[]', '"text"', '{"data":7}', '{"data":[]}', '']) {
    expect(decode({ ...record, value: Buffer.from(body) })).toEqual(kind);
  }
  expect(decode({ ...record, value: null })).toEqual(kind);
});

it('L8 never throws, whatever lies on the log', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.dictionary(fc.string(), fc.string()), (value, headers) => {
      expect(() => decode({ value, headers })).not.toThrow();
    }),
  );
});

it('L8 reads text and JSON as the bytes and headers they stand for', () => {
  const headers = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
  const encoded = fc.tuple(arbitraryEvent(), fc.dictionary(fc.constantFrom('ce_id', 'ce_subject', 'ce_traceparent', 'x'), fc.string()));
  const record = fc.oneof(
    fc.record({ value: fc.string({ unit: 'grapheme' }), headers }),
    encoded.map(([event, more]) => ({ value: encode(event).value.toString(), headers: { ...encode(event).headers, ...more } })),
  );
  fc.assert(
    fc.property(record, ({ value, headers }) => {
      const json = new HeadersJson(JSON.stringify(headers));
      expect(json.all).toEqual(headers);
      expect(decode({ value, headers: json })).toEqual(decode({ value: Buffer.from(value), headers }));
    }),
    { numRuns: 500 },
  );
});

it.each(['', '{', '{"ce_id":"a"', '{"ce_id":"a\u0001"}'])('L8 refuses headers that are not JSON: %j', (json) => {
  expect(() => new HeadersJson(json)).toThrow(SyntaxError);
});

it('L8 refuses headers as encode makes them, damaged in any one place where they are no JSON any more', () => {
  const json = JSON.stringify(encode(renewed).headers);
  for (let at = 0; at < json.length; at++)
    for (const damage of ['"', '\\', '\n', '}']) {
      const damaged = json.slice(0, at) + damage + json.slice(at + 1);
      let all: unknown;
      try {
        all = JSON.parse(damaged);
      } catch {
        expect(() => new HeadersJson(damaged)).toThrow(SyntaxError);
        continue;
      }
      expect(new HeadersJson(damaged).all).toEqual(all);
    }
});

it('spec 9 gives back every event it wrote', () => {
  fc.assert(
    fc.property(arbitraryEvent(), (event) => {
      expect(decode(encode(event)).body).toEqual(JSON.parse(JSON.stringify(event)));
    }),
    { numRuns: 500 },
  );
});

it('spec 9 says the same in the headers as in the body', () => {
  fc.assert(
    fc.property(arbitraryEvent(), (event) => {
      const { value, headers } = encode(event);
      const body = JSON.parse(value.toString()) as Record<string, unknown>;
      const told = Object.entries(headers).filter(([name]) => name.startsWith('ce_'));
      for (const [name, text] of told) expect(body[name.slice(3)]).toBe(text);
      const inBodyOnly = Object.keys(body).filter((name) => !(`ce_${name}` in headers));
      expect(inBodyOnly.sort()).toEqual(['data', 'datacontenttype']);
    }),
  );
});

it('spec 9 names the subject by the field of its fact', () => {
  fc.assert(
    fc.property(arbitraryEvent(), (event) => {
      const field = factByType.get(event.type)!.subject;
      expect(event.subject).toBe((event.data as Record<string, unknown>)[field]);
    }),
  );
});

it('spec 9 reads a type or a field it does not know', () => {
  const later = { ...renewed, ofALaterRelease: 1, data: { ...renewed.data, more: { text: true } } };
  expect(whyInvalid(later)).toBeUndefined();
  expect(decode(encode(later)).body).toEqual(later);
  expect(whyInvalid({ ...renewed, type: 'turn.of-a-later-release' })).toBeUndefined();
});

it('spec 9 refuses an event that breaks its schema, by its place and never by its value', () => {
  const secret = 'what a person said';
  const broken = { ...renewed, data: { ...renewed.data, runId: secret } } as FactEvent;
  expect(() => encode(broken)).toThrow(
    expect.objectContaining({ code: 'ERR_FACT_INVALID', message: 'A turn.renewed fact breaks its schema at /data/runId (pattern).' }),
  );
});

it('spec 9 refuses a public fact over 8 KiB and takes one of exactly 8 KiB', () => {
  const limit = topics.system.maxBytes;
  expect(limit).toBe(8192);
  const sized = (bytes: number) => {
    const event = froze('x');
    return { ...event, later: 'y'.repeat(bytes - encode({ ...event, later: '' } as FactEvent).value.length) } as FactEvent;
  };
  expect(encode(sized(limit)).value).toHaveLength(limit);
  expect(() => encode(sized(limit + 1))).toThrow(
    expect.objectContaining({ code: 'ERR_FACT_TOO_LARGE', message: 'A freeze.set fact is 8193 bytes; at most 8192 fit.' }),
  );
});
