import { factByType } from '../facts/index.js';
import { jsonSchemaOf } from '../validate.js';

/** Facts only ever grow, and a change of meaning is a new type (spec 9): so each has one file, for ever version 1. */
export const schemaFileOf = (type: string): string => `schemas/${type}.v1.json`;

/** The JSON Schema of each fact by its file name. */
export function publishedSchemas(): Map<string, object> {
  const files = new Map<string, object>();
  for (const type of factByType.keys())
    files.set(schemaFileOf(type), { $schema: 'http://json-schema.org/draft-07/schema#', ...jsonSchemaOf(type) });
  return files;
}
