import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/**
 * Strict, because a keyword or format that is not known would be no constraint at all. Own properties only, so that an
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
 * A JSON Schema (2020-12) of arguments, compiled once. The compiler keeps nothing of it: what is compiled lives as long as
 * whoever asked for it. @throws whatever the compiler throws
 */
export function compileArgumentSchema(schema: object): ValidateFunction {
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(schema);
  }
}

/** Where a schema is none (a JSON Pointer, `its root` for the whole); undefined for one that is. */
export const whereNoSchema = (schema: object): string | undefined =>
  ajv.validateSchema(schema) === true ? undefined : ajv.errors?.[0]?.instancePath || 'its root';
