import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, type Served } from '../faults/served-process.js';

interface Described {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

let dir: string;
let served: Served;
let document: Document;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-openapi-'));
  served = await serve(dir, { DOORLEDGER_DOOR_AGENTCORE: 'true' });
  document = (await (await fetch(`${served.url}/v1/openapi.json`)).json()) as Document;
});
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

const each = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, ...described })),
  );

/** Of the process that writes the data folder, for commands of the same user: no API of the deployment (X4). */
const OWN_USE = /^\/v1\/operator\//;

it('P2 describes every route that the server has, each once', () => {
  expect(document.openapi).toBe('3.1.0');
  const bare = each().filter(({ path, summary, operationId }) => !OWN_USE.test(path) && (!summary || !operationId));
  // A new route: describe it in ledger-operations.ts or host-operations.ts.
  expect(bare.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  const ids = each().flatMap(({ operationId }) => operationId ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(28);
});

it('P2 and P7 name exactly the parameters that a query takes', async () => {
  const queries = each().filter(
    ({ method, path }) =>
      method === 'get' && /^\/v1\/(?!openapi|operator|grants|freezes|turns|ledger)/.test(path) && !/\/(call|previous)$/.test(path),
  );
  expect(queries.length).toBeGreaterThan(9);
  for (const { path, parameters } of queries) {
    const response = await fetch(`${served.url}${path.replace('{id}', 'x')}?stray=1`);
    const { error } = (await response.json()) as { error: string };
    const known = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    expect([path, error]).toEqual([
      path,
      expect.stringContaining(known.length > 0 ? `Known are: ${known.join(', ')}.` : 'takes none') as string,
    ]);
  }
});

it('P2 says of every change whether it takes a body', () => {
  const changes = each().filter(({ method, path }) => method !== 'get' && !OWN_USE.test(path));
  expect(changes.filter(({ requestBody }) => !requestBody).map(({ path }) => path)).toEqual([]);
});
