import { GrantPatternError, compilePattern, type GrantPattern } from '@doorledger/consent';

type Schema = Readonly<Record<string, unknown>>;

/** Values, not schemas. */
const plain = new Set([
  ...[
    'type',
    'const',
    'enum',
    'required',
    'title',
    'description',
    'multipleOf',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
  ],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);
const oneSchema = new Set(['additionalProperties', 'items', 'not', 'propertyNames', 'contains']);
const manySchemas = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/**
 * A pattern of a grant that a host may run: one pass over the arguments judges them. Regular expressions are out (`pattern`,
 * `patternProperties`, `format`), since a careless one stops a host, and so is what refers to itself.
 * @throws GrantPatternError
 */
export function compileGrantPattern(schema: unknown): GrantPattern {
  const compiled = compilePattern(schema);
  refuseKeywords(compiled.schema);
  return compiled;
}

function refuseKeywords(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [keyword, value] of Object.entries(schema as Schema)) {
    if (plain.has(keyword)) continue;
    if (oneSchema.has(keyword)) refuseKeywords(value);
    else if (manySchemas.has(keyword)) for (const one of value as readonly unknown[]) refuseKeywords(one);
    else if (keyword === 'properties') for (const one of Object.values(value as Schema)) refuseKeywords(one);
    else throw new GrantPatternError('ERR_GRANT_PATTERN', sentence);
  }
}

const sentence =
  'The pattern of a grant may say type, const, enum, properties, required, additionalProperties, propertyNames, items, prefixItems, contains, ' +
  'allOf, anyOf, oneOf, not, and bounds of numbers and lengths. Regular expressions, formats and references are no part of it.';
