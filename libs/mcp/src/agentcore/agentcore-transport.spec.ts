import fc from 'fast-check';
import { type AgentCoreTransportOptions, agentCoreTransport } from './agentcore-transport.js';
import { LocalSessionHandleLostError } from './errors.js';
import { Reuse } from './reuse.js';
import { RuntimeConnections } from './runtime-connections.js';
import { newRuntimeSessionId } from './session-headers.js';
import { stopRuntimeSession, stopUrlBeside } from './stop-runtime-session.js';

const AWS = 'https://bedrock-agentcore.eu-central-1.amazonaws.com/runtimes/arn%3Aaws%3Abedrock-agentcore%3A1%3Aruntime%2Ftools';
const options = (change: object): AgentCoreTransportOptions => ({
  url: `${AWS}/invocations?qualifier=prod`,
  headers: {},
  strategy: 'reuse',
  closeMs: 100,
  connections: new RuntimeConnections(),
  ...change,
});

describe('an AgentCore transport', () => {
  it('M22 refuses a strategy it does not know when it is made', () => {
    expect(() => agentCoreTransport(options({ strategy: 'pooled' }))).toThrow(expect.objectContaining({ code: 'ERR_AGENTCORE_STRATEGY' }));
  });

  it('M22 refuses reuse when it cannot know where sessions are stopped', () => {
    const url = 'https://tools.example/mcp';
    expect(() => agentCoreTransport(options({ url }))).toThrow(expect.objectContaining({ code: 'ERR_AGENTCORE_STOP_URL' }));
    expect(() => agentCoreTransport(options({ url, stopUrl: 'https://tools.example/stop' }))).not.toThrow();
    expect(() => agentCoreTransport(options({ url, strategy: 'per-call' }))).not.toThrow();
  });

  it('M22 stops at the runtime and the qualifier that are invoked, the ARN as it was encoded', () => {
    expect(stopUrlBeside(new URL(`${AWS}/invocations?qualifier=prod`)).href).toBe(`${AWS}/stopruntimesession?qualifier=prod`);
  });

  it('M20 sends nothing under a handle it never issued, whatever that is and whatever the method', async () => {
    const connections = new RuntimeConnections();
    const inner = jest.fn();
    const other = connections.hold({ owner: Symbol('another transport'), runtimeSessionId: newRuntimeSessionId(), mcpSessionId: 's' });
    const { fetch } = new Reuse({ inner, connections, stop: { url: new URL(AWS), headers: {}, timeoutMs: 100 } });
    const handles = fc.oneof(fc.constant(other), fc.constant(''), fc.stringMatching(/^[!-~]{1,60}$/));
    await fc.assert(
      fc.asyncProperty(handles, fc.constantFrom('POST', 'DELETE'), async (handle, method) => {
        await expect(fetch(AWS, { method, headers: { 'mcp-session-id': handle } })).rejects.toThrow(LocalSessionHandleLostError);
      }),
    );
    expect(inner).not.toHaveBeenCalled();
    expect(connections.size).toBe(1);
  });

  it.each(['tools/list', 'ping', 'notifications/initialized'])(
    'M24 begins no connection for a session that the answer to %s names, and does not show it',
    async (method) => {
      const connections = new RuntimeConnections();
      const inner = async () => new Response('{}', { headers: { 'mcp-session-id': 'minted-by-the-runtime' } });
      const { fetch } = new Reuse({ inner, connections, stop: { url: new URL(AWS), headers: {}, timeoutMs: 100 } });
      const response = await fetch(AWS, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) });
      expect(response.headers.get('mcp-session-id')).toBeNull();
      expect(connections.size).toBe(0);
    },
  );

  it('M24 forgets the connection that a new handshake on the same transport replaces', async () => {
    const connections = new RuntimeConnections();
    const inner = async () => new Response('{}', { headers: { 'mcp-session-id': 'same' } });
    const { fetch } = new Reuse({ inner, connections, stop: { url: new URL(AWS), headers: {}, timeoutMs: 100 } });
    const handshake = () => fetch(AWS, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize' }) });
    const [first, second] = [await handshake(), await handshake()].map(({ headers }) => headers.get('mcp-session-id'));
    expect(first).not.toBe(second);
    expect(connections.size).toBe(1);
  });

  it('M21 holds 256 connections and forgets the least recently used one', () => {
    const connections = new RuntimeConnections();
    const owner = Symbol('owner');
    const hold = () => connections.hold({ owner, runtimeSessionId: newRuntimeSessionId(), mcpSessionId: 's' });
    const [oldest, next] = [hold(), hold()];
    for (let i = 2; i < 256; i++) hold();
    connections.of(oldest, owner);
    hold();
    expect(connections.size).toBe(256);
    expect(connections.of(oldest, owner).mcpSessionId).toBe('s');
    expect(() => connections.of(next, owner)).toThrow(LocalSessionHandleLostError);
  });

  it('M5 gives a stop up that is not answered within its bound', async () => {
    const silent = (_: string | URL, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error));
      });
    const stop = stopRuntimeSession({ fetch: silent, url: new URL(AWS), headers: {}, timeoutMs: 10 }, newRuntimeSessionId());
    await expect(stop).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('M6 does not carry credentials along a redirect of the stop', async () => {
    const inner = jest.fn(async (_: string | URL, _init?: RequestInit) => new Response(null, { status: 302, headers: { location: '/' } }));
    const response = await stopRuntimeSession({ fetch: inner, url: new URL(AWS), headers: {}, timeoutMs: 100 }, newRuntimeSessionId());
    expect(response.status).toBe(302);
    expect(inner.mock.calls).toEqual([[expect.anything(), expect.objectContaining({ redirect: 'manual' })]]);
  });
});
