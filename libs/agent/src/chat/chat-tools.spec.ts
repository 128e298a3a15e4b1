import { chatTools } from './chat-tools.js';

const offered = (inputSchema: unknown, description?: string) =>
  chatTools([{ name: 'files.read', inputSchema, ...(description !== undefined && { description }) }], 10)[0]!.function;

it('L20 offers a tool with its schema as the server gave it', () => {
  const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false };
  expect(offered(schema, 'Reads.')).toEqual({ name: 'files__read', description: 'Reads.', parameters: schema });
});

it.each([{ type: 'object' }, {}, null, undefined, true])(
  'L20 offers a tool without arguments (%j) as the strictest API takes it',
  (schema) => expect(offered(schema).parameters).toEqual({ type: 'object', properties: {} }),
);

it('L20 cuts a description that some APIs would refuse every request for', () => {
  expect(offered({}, '0123456789').description).toBe('0123456789');
  expect(offered({}, '0123456789A').description).toBe('012345678…');
});
