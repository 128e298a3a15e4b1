import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, type Served } from '../../../../test/faults/served-process.js';

jest.setTimeout(120_000);
let dir: string;
let served: Served;

const MODULE = `
const rooms = new Map();
export const tools = {
  visit: {
    description: 'Enters a room of the session and counts visits.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    run: ({ name }, { sessionId, onTeardown }) => {
      const key = sessionId + '/' + name;
      const { outcome } = onTeardown(() => rooms.delete(key), { scope: 'session', key: name, label: 'room' });
      rooms.set(key, (rooms.get(key) ?? 0) + 1);
      return { text: outcome + ' ' + rooms.get(key), structured: { visits: rooms.get(key) } };
    },
  },
  fail: { run: () => { throw new Error('no such room'); } },
  hang: { run: () => new Promise(() => {}) },
  call: { run: (args, { onTeardown }) => onTeardown(() => {}, { scope: 'session' }).outcome },
};
`;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-module-'));
  writeFileSync(join(dir, 'tools.mjs'), MODULE);
  const servers = [{ name: 'own', module: join(dir, 'tools.mjs'), tools: { hang: { timeoutMs: 50 } } }];
  served = await serve(join(dir, 'data'), { DOORLEDGER_TOOLS_SERVERS: JSON.stringify(servers) });
});
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function say(input: string, sessionId?: string): Promise<string> {
  const body = JSON.stringify({ input, ...(sessionId && { sessionId }) });
  const response = await fetch(`${served.url}/invoke`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await response.json()) as { output: string }).output;
}

it('T6 runs a tool of the operator’s in the host, and what it asked to be torn down is kept for the session alone', async () => {
  expect(await say('/call own.visit {"name": "a"}', 'one')).toBe('started 1');
  expect(await say('/call own.visit {"name": "a"}', 'one')).toBe('reused 2');
  expect(await say('/call own.visit {"name": "a"}', 'two')).toBe('started 1');
  await fetch(`${served.url}/v1/sessions/one/close`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const closed = async () =>
    ((await (await fetch(`${served.url}/v1/tool-sessions?state=ended`)).json()) as { items: { reason: string; label: string }[] }).items;
  while ((await closed()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await closed()).toMatchObject([{ reason: 'session-end', label: 'room' }]);
});

it('T6 refuses by name, inside the tool, a scope that this place does not have', async () => {
  expect(await say('/call own.call')).toContain('needs a session id');
});

it('M1 and M5 answer with a tool’s own error, and with what nobody knows when it does not end', async () => {
  expect(await say('/call own.fail', 'three')).toContain('no such room');
  expect(await say('/call own.hang', 'three')).toContain('It is not known whether this call ran (ERR_TOOL_CALL_TIMEOUT)');
});
