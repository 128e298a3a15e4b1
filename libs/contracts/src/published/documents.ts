import { asyncApiDocument } from './async-api.js';
import { publishedSchemas } from './json-schema.js';

/** Every published document by its path below `docs/contracts/`, as text. */
export function publishedDocuments(): Map<string, string> {
  const documents = new Map<string, object>([['asyncapi.json', asyncApiDocument()], ...publishedSchemas()]);
  return new Map([...documents].map(([path, document]) => [path, `${JSON.stringify(document, undefined, 2)}\n`]));
}
