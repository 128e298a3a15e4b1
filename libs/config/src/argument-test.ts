import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * Strict, because a keyword or format that is not known would be no condition at all. Own properties only, so that an
 * argument named `constructor` is an argument; nothing is coerced and no default filled in.
 */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
});

/**
 * Whether arguments fit a JSON Schema (2020-12), compiled once. It may throw for odd arguments, and whoever asks must not
 * take that for a no.
 * @throws whatever the compiler throws; ask `whyNoSchema` before.
 */
export function argumentTest(schema: object): (args: Readonly<Record<string, unknown>>) => boolean {
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(schema);
  }
}

/** What is wrong with a schema, in words that complete "its condition …"; names keywords and places, never a value. */
export function whyNoSchema(schema: object): string | undefined {
  // A promise is not a no, and a name of its own could be the name of the schema that judges schemas.
  const unusable = ['$async', '$id'].find((keyword) => Object.hasOwn(schema, keyword));
  if (unusable) return `may not have ${unusable}`;
  try {
    if (ajv.validateSchema(schema) !== true) return `is no JSON Schema (2020-12) at ${ajv.errors?.[0]?.instancePath || 'its root'}`;
    argumentTest(schema);
    return undefined;
  } catch (error) {
    const [, keyword] = /^strict mode: unknown keyword: "(\w+)"/.exec((error as Error).message) ?? [];
    return keyword === undefined ? 'has a format, pattern or reference that cannot be used' : `has the unknown keyword ${keyword}`;
  }
}
