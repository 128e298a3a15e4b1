import type { TSchema } from '@sinclair/typebox';
import { encode } from '../codec.js';
import { eventOf } from '../event.js';
import { factByType, type Fact } from './index.js';

const publicFacts = [...factByType.values()].filter(({ topic }) => topic.visible === 'public');

/** Each leaf of a schema with its path. */
function leaves(schema: TSchema, path: string): [path: string, leaf: TSchema][] {
  if (schema.anyOf) return (schema.anyOf as TSchema[]).flatMap((one) => leaves(one, path));
  if (schema.properties) return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([k, s]) => leaves(s, `${path}.${k}`));
  if (schema.patternProperties)
    return Object.values(schema.patternProperties as Record<string, TSchema>).flatMap((s) => leaves(s, `${path}.*`));
  if (schema.items) return [schema.items as TSchema | TSchema[]].flat().flatMap((s) => leaves(s, `${path}[]`));
  return [[path, schema]];
}
const isFreeText = (leaf: TSchema) => leaf.type === 'string' && !leaf.pattern && !('const' in leaf);
const freeTextOf = (type: string, data: TSchema) => leaves(data, type).flatMap(([path, leaf]) => (isFreeText(leaf) ? [path] : []));

/**
 * Fields of public facts that are not a reference, a class, a number or one of a few words: names that an operator's
 * configuration gives to things, and an operator's own words. Nothing that a caller, a model or a tool wrote.
 */
const NAMED = /\.(hostId|by|server|tool|rule|label|model|version|place|namespace|op|reason|what|target\.name|topic)$/;
const OPERATORS_WORDS = ['decision.spent.id', 'freeze.lifted.why', 'freeze.set.why', 'tool-call.reconciled.why'];

it('spec 9 lets a public fact carry no text but names given by configuration and the words of an operator', () => {
  const found = publicFacts.flatMap(({ type, data }) => freeTextOf(type, data)).filter((path) => !NAMED.test(path));
  expect(found.sort()).toEqual(OPERATORS_WORDS);
});

it('spec 9 would notice a text field added to a public fact', () => {
  const { data } = factByType.get('turn.failed')!;
  const planted = { ...data, properties: { ...(data.properties as object), message: { type: 'string' } } } as unknown as TSchema;
  expect(freeTextOf('turn.failed', planted)).toEqual(expect.arrayContaining(['turn.failed.message']));
});

/** The instance of a schema that is longest as JSON; lists and maps without a bound are left with one entry. */
function longest(schema: TSchema): unknown {
  if ('const' in schema) return schema.const;
  if (schema.anyOf) return (schema.anyOf as TSchema[]).map(longest).reduce((a, b) => (size(b) > size(a) ? b : a));
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties as Record<string, TSchema>).map(([k, s]) => [k, longest(s)]));
  if (schema.patternProperties) return { any: 1 };
  if (schema.items) return Array.isArray(schema.items) ? (schema.items as TSchema[]).map(longest) : [longest(schema.items as TSchema)];
  if (schema.type === 'string' && !schema.pattern) return '\u0001'.repeat(Number(schema.maxLength));
  return { boolean: false, null: null, integer: schema.maximum ?? Number.MAX_SAFE_INTEGER, string: longestOf(String(schema.pattern)) }[
    String(schema.type)
  ];
}
const size = (value: unknown) => JSON.stringify(value).length;
const PATTERNED = ['a'.repeat(64), 'A'.repeat(64), 'a'.repeat(32), 'a'.repeat(12), '00000000-0000-4000-8000-000000000000'];
const longestOf = (pattern: string) => PATTERNED.find((text) => new RegExp(pattern).test(text));

it.each(publicFacts.map(({ type }) => type))('spec 9 lets the longest %s fit into 8 KiB', (type) => {
  const fact = { type, data: longest(factByType.get(type)!.data) } as Fact;
  const event = eventOf(fact, { source: `/doorledger/${'d'.repeat(200)}/${'h'.repeat(200)}`, now: () => 0 });
  expect(encode(event).value.length).toBeLessThanOrEqual(8192);
});
