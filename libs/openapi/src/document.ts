import type { Operation, Operations } from './operation.js';

/** A route as a server has it. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });

const error = {
  type: 'object',
  description: 'Every refusal, in one shape (P7).',
  properties: {
    error: { type: 'string', description: 'A sentence that says what to do.' },
    code: { type: 'string', pattern: '^ERR_[A-Z_]+$' },
  },
  required: ['error'],
};

/** What any route may answer instead of what it is for. */
const refusals = {
  '4XX': { description: 'Refused; the code says why.', content: json(ref('Error')) },
  '5XX': { description: 'Failed, or not able to serve right now.', content: json(ref('Error')) },
};

/**
 * OpenAPI 3.1 of the routes that a process serves: each of them, described by its operation. A route that nobody described is in it too,
 * without a summary.
 */
export function openApiDocument(routes: readonly Route[], operations: Operations, version: string): object {
  const described = new Map(Object.entries(operations).map(([id, operation]) => [placeOf(operation), { id, operation }]));
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const method = route.method.toLowerCase();
    const known = described.get(placeOf({ method, path: route.path }));
    (paths[templateOf(route.path)] ??= {})[method] = known ? operationOf(known.id, known.operation) : { responses: refusals };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'doorledger', version, description: 'Doors, tool sessions, consent and a ledger for AI agents.' },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { Error: error },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'Needed where an issuer is configured.' } },
    },
    security: [{ bearer: [] }, {}],
  };
}

const placeOf = ({ method, path }: Route): string => `${method} ${path}`;
/** `/v1/turns/:id` is `/v1/turns/{id}` to OpenAPI. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

function operationOf(operationId: string, { path, summary, who, query = {}, headers = {}, body, answers, type }: Operation): object {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
  const inHeaders = Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return {
    operationId,
    summary,
    description: `For ${who}.`,
    parameters: [...inPath, ...inQuery, ...inHeaders],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: { ...Object.fromEntries(Object.entries(answers).map(([status, text]) => [status, answerOf(text, type)])), ...refusals },
  };
}

const answerOf = (description: string, type: Operation['type']) => ({
  description,
  content: type === undefined ? json({ type: 'object' }) : { [type]: { schema: { type: 'string' } } },
});
