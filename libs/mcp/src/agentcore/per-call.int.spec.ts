import { RuntimeConnections } from './runtime-connections.js';
import { connect } from './testing/connect.js';
import { LocalAgentCoreRuntime, type LocalRuntimeOptions } from './testing/local-runtime.js';

const running: LocalAgentCoreRuntime[] = [];
const start = async (options: LocalRuntimeOptions): Promise<LocalAgentCoreRuntime> => {
  const runtime = await LocalAgentCoreRuntime.start(options);
  running.push(runtime);
  return runtime;
};
afterEach(() => Promise.all(running.splice(0).map((runtime) => runtime.close())));

describe('the strategy per-call', () => {
  it('M25 sends every request in a runtime session of its own, of a lawful length, and never an Mcp-Session-Id', async () => {
    const runtime = await start({ keepsSessions: false });
    const { client, transport, remember } = await connect(runtime, { strategy: 'per-call' });
    await client.listTools();
    const answers = await Promise.all(['ada', 'ada', 'bob'].map(remember));
    expect(answers).toEqual(['ada', 'ada', 'bob']);
    const sessions = runtime.seen.map(({ runtimeSessionId }) => runtimeSessionId!);
    expect(runtime.seen.map(({ rpcMethod }) => rpcMethod)).toEqual(
      expect.arrayContaining(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']),
    );
    expect(new Set(sessions).size).toBe(6);
    expect(sessions.every(({ length }) => length >= 33 && length <= 256)).toBe(true);
    expect(runtime.seen.every(({ mcpSessionId }) => mcpSessionId === undefined)).toBe(true);
    expect(transport.sessionId).toBeUndefined();
    await client.close();
  });

  it('M25 holds nothing, and answers streams and DELETE itself: the runtime sees neither', async () => {
    const runtime = await start({ keepsSessions: false });
    const connections = new RuntimeConnections();
    const { client, transport, errors, remember } = await connect(runtime, { strategy: 'per-call', connections });
    await remember('ada');
    await transport.terminateSession();
    await client.close();
    expect(connections.size).toBe(0);
    expect(runtime.seen.map(({ operation }) => operation)).toEqual(['invoke', 'invoke', 'invoke']);
    expect(errors).toEqual([]);
  });

  it('M25 says to use reuse when the server keeps sessions and answers as to a stranger', async () => {
    const runtime = await start({ keepsSessions: true });
    await expect(connect(runtime, { strategy: 'per-call' })).rejects.toMatchObject({
      code: 'ERR_SERVER_NEEDS_SESSION',
      message: expect.stringContaining('Set its strategy to reuse'),
    });
  });

  it('M25 goes on with a server that keeps no sessions, whichever protocol it speaks and is asked for', async () => {
    for (const speaks2026 of [false, true]) {
      const runtime = await start({ keepsSessions: false, speaks2026 });
      const { client, remember } = await connect(runtime, { strategy: 'per-call' }, 'auto');
      expect(client.getProtocolEra()).toBe(speaks2026 ? 'modern' : 'legacy');
      expect([await remember('ada'), await remember('ada')]).toEqual(['ada', 'ada']);
      expect(new Set(runtime.seen.map(({ runtimeSessionId }) => runtimeSessionId)).size).toBe(runtime.seen.length);
      await client.close();
    }
  });

  it.each([
    ['a 400 of the runtime', 400, '{"message":"ValidationException"}'],
    ['a 404 of the runtime', 404, '{"message":"ResourceNotFoundException"}'],
    ['a JSON-RPC error about the arguments', 400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}'],
    ['no JSON at all', 404, '<html>'],
    ['more than anybody reads', 404, 'x'.repeat(200_000)],
  ])('M25 does not take %s for a stranger’s answer', async (_, status, body) => {
    const runtime = await start({ keepsSessions: false });
    const { client, remember } = await connect(runtime, { strategy: 'per-call' });
    runtime.plant('tools/call', status, { 'content-type': 'application/json' }, body);
    await expect(remember('ada')).rejects.toMatchObject({ status });
    await client.close();
  });

  it('M6 sends the credentials of the settings, and whatever they say of sessions does not count', async () => {
    const runtime = await start({ keepsSessions: false, authorization: 'Bearer of-the-tools' });
    const headers = {
      Authorization: 'Bearer of-the-tools',
      'Mcp-Session-Id': 'mine',
      'X-Amzn-Bedrock-AgentCore-Runtime-Session-Id': 'x'.repeat(40),
    };
    const { client, remember } = await connect(runtime, { strategy: 'per-call', headers });
    await remember('ada');
    expect(new Set(runtime.seen.map(({ runtimeSessionId }) => runtimeSessionId)).size).toBe(3);
    expect(runtime.seen.every(({ mcpSessionId }) => mcpSessionId === undefined)).toBe(true);
    await client.close();
  });
});
