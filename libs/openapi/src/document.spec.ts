import { fields, openApiDocument, type Operations } from './index.js';

const operations: Operations = {
  readThing: {
    method: 'get',
    path: '/v1/things/:id',
    summary: 'One thing.',
    who: 'its owner',
    query: { at: { type: 'string' } },
    answers: { 200: 'The thing.' },
  },
  makeThing: {
    method: 'post',
    path: '/v1/things',
    summary: 'Makes one.',
    who: 'anybody',
    body: fields({ name: { type: 'string' } }, 'name'),
    answers: { 201: 'Made.' },
  },
};

interface Document {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
}
const documentOf = (...routes: [string, string][]) =>
  openApiDocument(
    routes.map(([method, path]) => ({ method, path })),
    operations,
    '1.2.3',
  ) as Document;

it('P2 tells of each route that is served its parameters, its body, its answers and who may ask', () => {
  const { paths } = documentOf(['GET', '/v1/things/:id'], ['POST', '/v1/things']);
  expect(paths['/v1/things/{id}']!.get).toMatchObject({
    operationId: 'readThing',
    description: 'For its owner.',
    parameters: [
      { name: 'id', in: 'path', required: true },
      { name: 'at', in: 'query', required: false, schema: { type: 'string' } },
    ],
    responses: {
      200: { description: 'The thing.' },
      '4XX': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
    },
  });
  expect(paths['/v1/things']!.post).toMatchObject({
    requestBody: { content: { 'application/json': { schema: { required: ['name'], additionalProperties: false } } } },
  });
});

it('P2 leaves no route out, and describes none that is not served', () => {
  const { paths } = documentOf(['GET', '/v1/other']);
  expect(Object.keys(paths)).toEqual(['/v1/other']);
  expect(paths['/v1/other']!.get).not.toHaveProperty('summary');
});
