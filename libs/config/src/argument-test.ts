import { compileArgumentSchema, whereNoSchema } from '@doorledger/consent';

/**
 * Whether arguments fit a JSON Schema (2020-12), compiled once. It may throw for odd arguments, and whoever asks must not
 * take that for a no. @throws whatever the compiler throws; ask `whyNoSchema` before
 */
export const argumentTest: (schema: object) => (args: Readonly<Record<string, unknown>>) => boolean = compileArgumentSchema;

/** What is wrong with a schema, in words that complete "its condition …"; names keywords and places, never a value. */
export function whyNoSchema(schema: object): string | undefined {
  // A promise is not a no, and a name of its own could be the name of the schema that judges schemas.
  const unusable = ['$async', '$id'].find((keyword) => Object.hasOwn(schema, keyword));
  if (unusable) return `may not have ${unusable}`;
  try {
    const where = whereNoSchema(schema);
    if (where !== undefined) return `is no JSON Schema (2020-12) at ${where}`;
    argumentTest(schema);
    return undefined;
  } catch (error) {
    const [, keyword] = /^strict mode: unknown keyword: "(\w+)"/.exec((error as Error).message) ?? [];
    return keyword === undefined ? 'has a format, pattern or reference that cannot be used' : `has the unknown keyword ${keyword}`;
  }
}
