import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReceived, startJudge, type JudgeServer } from './judge-server-process.js';

let dir: string;
let judge: JudgeServer;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-judge-'));
  judge = await startJudge(join(dir, 'received'));
});
afterAll(async () => {
  await judge.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function ask(method: string, params: object): Promise<{ result: { content?: { text: string }[]; tools?: { name: string }[] } }> {
  const headers = { 'content-type': 'application/json', 'mcp-session-id': 'mine' };
  const response = await fetch(judge.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
  return (await response.json()) as { result: object };
}

it('the judge has every call in its file when it answers, each as often as it came, with the fence it came with', async () => {
  const fence = { callId: 'c', partition: 3, offset: 7 };
  const ids = Array.from({ length: 50 }, (_, i) => `id-${i}`);
  await Promise.all(
    [...ids, 'id-7'].map(async (id) => {
      const { result } = await ask('tools/call', { name: 'note', arguments: { id }, _meta: { 'io.doorledger/fence': fence } });
      expect(result.content![0]!.text).toBe(`noted ${id}`);
      expect(judge.received().map((one) => one.id)).toContain(id);
    }),
  );
  expect(judge.received().filter(({ id }) => id === 'id-7')).toHaveLength(2);
  expect(judge.received()).toHaveLength(51);
  expect(judge.received()[0]).toMatchObject({ tool: 'note', session: 'mine', fence });
});

it('the judge writes a slow call down when it comes, not when it answers', async () => {
  const slow = ask('tools/call', { name: 'slow', arguments: { id: 'slow', ms: 60_000 } }).catch(() => undefined);
  while (!judge.received().some(({ id }) => id === 'slow')) await new Promise((resolve) => setImmediate(resolve));
  await judge.stop();
  expect(await slow).toBeUndefined();
});

it('a line of the judge that is not whole yet is left for later', () => {
  expect(readReceived('{"id":"a"}\n{"id":')).toEqual([{ id: 'a' }]);
});
