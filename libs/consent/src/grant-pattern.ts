import { createHash } from 'node:crypto';
import { compileArgumentSchema } from './argument-schema.js';
import { canonicalOf } from './canonical-json.js';
import { GrantPatternError, UnbindableError } from './errors.js';
import { faithfulCopy } from './faithful-copy.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';

/** UTF-16 units of the canonical text: what a person can still read, and a compiler swallow. */
const MAX_CHARS = 16_384;
/** The validator does not ask for a property whose name is empty. */
const REQUIRES_EMPTY_NAME = /"required":\[[^\]]*""/;

/** Which arguments a remembered grant allows (N52): a JSON Schema, compiled once. */
export interface GrantPattern {
  readonly schema: JsonObject;
  /** Hex SHA-256 of the canonical schema: the `schemaHash` of `grant.created`. */
  readonly schemaHash: string;
  matches(args: JsonObject): boolean;
}

/**
 * The pattern a grant made by one click has: constant values, no further properties. Arguments with a name that every object
 * of JavaScript knows (`__proto__`, `constructor`, `toString`, `valueOf`) may match no pattern, not even this one.
 */
export const exactPattern = (args: JsonObject): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { const: value }])),
  required: Object.keys(args),
  minProperties: Object.keys(args).length,
  additionalProperties: false,
});

/** All that it requires is there where nothing else may be and the count is right. */
const isExact = ({ required, minProperties, additionalProperties, properties }: JsonObject): boolean =>
  additionalProperties === false &&
  Array.isArray(required) &&
  minProperties === required.length &&
  Object.values((properties ?? {}) as JsonObject).every((one) => isJsonObject(one) && Object.keys(one).join() === 'const');

/** @throws GrantPatternError for what is no JSON Schema (2020-12), is too large, or refers to another one. */
export function compilePattern(schema: unknown): GrantPattern {
  const copy = readSchema(schema);
  const text = canonicalOf(copy);
  if (text.length > MAX_CHARS) throw refusal(`is longer than ${MAX_CHARS} characters`);
  if (REQUIRES_EMPTY_NAME.test(text) && !isExact(copy)) throw refusal('requires a property without a name');
  const validate = compile(copy);
  return {
    schema: copy,
    schemaHash: createHash('sha256').update(text, 'utf8').digest('hex'),
    matches: (args) => isMatch(validate, args),
  };
}

/** The validator's comparison of constants calls `toString` or `valueOf` of what has a property of that name, and may throw. */
function isMatch(validate: (args: Json) => unknown, args: JsonObject): boolean {
  try {
    return validate(args) === true;
  } catch {
    return false;
  }
}

function readSchema(schema: unknown): JsonObject {
  try {
    const copy = faithfulCopy(schema);
    if (isJsonObject(copy)) return copy;
  } catch (error) {
    if (!(error instanceof UnbindableError)) throw error;
  }
  throw refusal('is not a JSON object');
}

function compile(schema: JsonObject): (args: Json) => unknown {
  // An asynchronous schema would answer by a promise, which is not `true`; it is refused so that nobody waits for a match.
  if (schema.$async !== undefined) throw refusal('is asynchronous');
  // A name of its own could be the name of the schema that judges schemas.
  if (schema.$id !== undefined) throw refusal('has an $id');
  try {
    return compileArgumentSchema(schema);
  } catch (cause) {
    throw refusal('is not JSON Schema 2020-12, or refers to another schema', cause);
  }
}

const refusal = (why: string, cause?: unknown) =>
  new GrantPatternError('ERR_GRANT_PATTERN', `The pattern of a grant ${why}. Write a JSON Schema of the arguments it allows.`, { cause });
