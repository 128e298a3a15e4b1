import type { TSchema } from '@sinclair/typebox';
import fc from 'fast-check';
import { eventOf, type FactEvent } from '../event.js';
import { facts, type Fact, type FactType } from '../facts/index.js';

const KEY = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name !== '__proto__');

/** Values of the JSON Schema keywords that facts use; throws on any other, so that no field goes untried. */
export function arbitraryOf(schema: TSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...(schema.anyOf as TSchema[]).map(arbitraryOf));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Number(schema.minimum), max: Number(schema.maximum ?? 2 ** 40) });
    case 'string':
      return schema.pattern
        ? matching(String(schema.pattern))
        : fc.string({ unit: 'grapheme', minLength: Number(schema.minLength ?? 0), maxLength: Number(schema.maxLength) });
    case 'array':
      return Array.isArray(schema.items)
        ? fc.tuple(...(schema.items as TSchema[]).map(arbitraryOf))
        : fc.array(arbitraryOf(schema.items as TSchema), { maxLength: 10 });
    case 'object':
      return arbitraryObject(schema);
    default:
      throw new Error(`No arbitrary for the schema ${JSON.stringify(schema)}`);
  }
}

function arbitraryObject(schema: TSchema): fc.Arbitrary<unknown> {
  if (schema.patternProperties) {
    const [value] = Object.values(schema.patternProperties as Record<string, TSchema>);
    return fc.dictionary(KEY, arbitraryOf(value!), { maxKeys: 8 });
  }
  const properties = Object.entries(schema.properties as Record<string, TSchema>);
  const model = Object.fromEntries(properties.map(([name, of]) => [name, arbitraryOf(of)]));
  return fc.record(model, { requiredKeys: (schema.required ?? []) as string[] });
}

/** Few patterns stand for many fields, and building their generators is slow. */
const byPattern = new Map<string, fc.Arbitrary<string>>();
function matching(pattern: string): fc.Arbitrary<string> {
  const known = byPattern.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  byPattern.set(pattern, known);
  return known;
}

/** Whole events of every fact, or of some. */
export function arbitraryEvent(...types: FactType[]): fc.Arbitrary<FactEvent> {
  const wanted = types.length > 0 ? types : (Object.keys(facts) as FactType[]);
  const trace = fc.option(fc.constant(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`), { nil: undefined });
  const made = wanted.map((type) => fc.record({ type: fc.constant(type), data: arbitraryOf(facts[type].data) }));
  return fc
    .tuple(fc.oneof(...made), trace)
    .map(([fact, traceparent]) => eventOf(fact as Fact, { source: '/doorledger/test/host', now: () => 0 }, traceparent));
}
