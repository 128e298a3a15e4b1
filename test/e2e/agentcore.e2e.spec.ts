import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../faults/served-process.js';

jest.setTimeout(120_000);
let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-agentcore-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const invocation = {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-amzn-bedrock-agentcore-runtime-session-id': 'of-the-platform' },
  body: '{"prompt":"hello"}',
};

it('D16 serves the AgentCore dialect where the setting says so, in the sessions of every other door', async () => {
  const served = await serve(dir, { DOORLEDGER_DOOR_AGENTCORE: 'true' });
  expect(await (await fetch(`${served.url}/ping`)).json()).toMatchObject({ status: 'Healthy' });
  const answer = await fetch(`${served.url}/invocations`, invocation);
  expect([answer.status, await answer.json()]).toEqual([200, { output: 'hello' }]);
  const position = answer.headers.get('x-doorledger-position');
  const timeline = await fetch(`${served.url}/v1/sessions/of-the-platform/timeline?at=${position}`);
  expect(((await timeline.json()) as { items: unknown[] }).items).toHaveLength(3);
  expect(await served.stop()).toBe(0);
});

it('D4 knows nothing of the AgentCore dialect where no setting asks for it', async () => {
  const served = await serve(dir);
  expect((await fetch(`${served.url}/invocations`, invocation)).status).toBe(404);
  expect((await fetch(`${served.url}/ping`)).status).toBe(404);
  expect(await served.stop()).toBe(0);
});
