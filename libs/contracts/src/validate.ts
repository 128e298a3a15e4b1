import { Ajv, type ValidateFunction } from 'ajv';
import { factByType } from './facts/index.js';
import { dataSchemaOf } from './event.js';

const ajv = new Ajv({ allErrors: false, strict: true });
const envelopeOf = (type: string, data: object) => ({
  type: 'object',
  required: ['specversion', 'id', 'source', 'type', 'time', 'subject', 'datacontenttype', 'dataschema', 'data'],
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' },
    source: { type: 'string', pattern: '^/doorledger/[^/]+/[^/]+$' },
    type: { const: type },
    time: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$' },
    subject: { type: 'string', minLength: 1 },
    datacontenttype: { const: 'application/json' },
    dataschema: { const: dataSchemaOf(type) },
    traceparent: { type: 'string', pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
    data,
  },
});

/** The published JSON Schema of one fact in its envelope. Additional properties are allowed everywhere (spec 9). */
export function jsonSchemaOf(type: string): object {
  const { data, description } = factByType.get(type)!;
  return { $id: dataSchemaOf(type), title: type, description, ...envelopeOf(type, JSON.parse(JSON.stringify(data)) as object) };
}

const compiled = new Map<string, ValidateFunction>();
function validatorOf(type: string): ValidateFunction | undefined {
  let validate = compiled.get(type);
  if (!validate && factByType.has(type)) compiled.set(type, (validate = ajv.compile(jsonSchemaOf(type))));
  return validate;
}

/**
 * The place where an event breaks the schema of its type, as a JSON pointer and a rule; `undefined` when it keeps it.
 * An unknown type is read, not refused. Never quotes a value.
 */
export function whyInvalid(event: object): string | undefined {
  const validate = validatorOf(String((event as { readonly type?: unknown }).type));
  if (!validate || validate(event)) return undefined;
  const [error] = validate.errors!;
  return `${error!.instancePath || '/'} (${error!.keyword})`;
}
