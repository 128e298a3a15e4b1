import { LocalSessionHandleLostError } from './errors.js';
import { RuntimeConnections } from './runtime-connections.js';
import { connect } from './testing/connect.js';
import { LocalAgentCoreRuntime, type LocalRuntimeOptions } from './testing/local-runtime.js';
import { sharedSessions } from './testing/seen-request.js';

const running: LocalAgentCoreRuntime[] = [];
const start = async (options: Partial<LocalRuntimeOptions> = {}): Promise<LocalAgentCoreRuntime> => {
  const runtime = await LocalAgentCoreRuntime.start({ keepsSessions: true, ...options });
  running.push(runtime);
  return runtime;
};
afterEach(() => Promise.all(running.splice(0).map((runtime) => runtime.close())));

const reuse = { strategy: 'reuse' } as const;
const sessionsOf = (runtime: LocalAgentCoreRuntime) => new Set(runtime.seen.map(({ runtimeSessionId }) => runtimeSessionId));

describe('the strategy reuse', () => {
  it('M24 keeps one runtime session for a connection, started cold once, with the session the server named', async () => {
    const runtime = await start({ nameSession: () => 'named-by-the-server' });
    const { client, transport, errors, remember } = await connect(runtime, reuse);
    expect(await remember('ada')).toBe('ada');
    expect(await remember('ada')).toBe('ada ada');
    expect(runtime.coldStarts).toBe(1);
    expect(sessionsOf(runtime).size).toBe(1);
    const [first, ...rest] = runtime.seen;
    expect(first).toMatchObject({ rpcMethod: 'initialize', mcpSessionId: undefined });
    expect(new Set(rest.map(({ mcpSessionId }) => mcpSessionId))).toEqual(new Set(['named-by-the-server']));
    expect(transport.sessionId).toMatch(/^[\w-]{43}$/);
    expect(errors).toEqual([]);
    expect(runtime.seen.some(({ operation }) => operation === 'stream')).toBe(false);
    await client.close();
  });

  it('M24 never lets two keys share a runtime session: 20 connections, 10 calls each, all at once', async () => {
    const runtime = await start();
    const connections = new RuntimeConnections();
    const people = Array.from({ length: 20 }, (_, i) => `person-${i}`);
    const connected = await Promise.all(people.map(() => connect(runtime, { ...reuse, connections })));
    const calls = people.flatMap((who, i) => Array.from({ length: 10 }, () => connected[i]!.remember(who)));
    const answers = await Promise.all(calls);
    expect(answers.every((answer) => new Set(answer.split(' ')).size === 1)).toBe(true);
    expect(sharedSessions(runtime.seen).size).toBe(0);
    expect(runtime.coldStarts).toBe(20);
    expect(connections.size).toBe(20);
    await Promise.all(connected.map(({ client }) => client.close()));
    expect(connections.size).toBe(0);
  });

  it('M22 keeps two servers apart that name their sessions alike, and two clients of one such server', async () => {
    const nameSession = () => 'session-1';
    const [one, two] = [await start({ nameSession }), await start({ nameSession })];
    const connections = new RuntimeConnections();
    const connected = await Promise.all([one, one, two].map((runtime) => connect(runtime, { ...reuse, connections })));
    const answers = await Promise.all(connected.map(({ remember }, i) => remember(`person-${i}`)));
    expect(answers).toEqual(['person-0', 'person-1', 'person-2']);
    expect(new Set(connected.map(({ transport }) => transport.sessionId)).size).toBe(3);
    await Promise.all(connected.map(({ client }) => client.close()));
  });

  it('M22 stops the remote session on terminate, with the credentials of the settings, and sends no DELETE', async () => {
    const authorization = 'Bearer of-the-tools';
    const runtime = await start({ authorization });
    const { client, transport, errors, remember } = await connect(runtime, { ...reuse, headers: { authorization } });
    await remember('ada');
    await transport.terminateSession();
    expect(runtime.running).toEqual([]);
    const stop = runtime.seen.at(-1)!;
    expect(stop).toMatchObject({ operation: 'stop', status: 200, authorization, mcpSessionId: undefined });
    expect(stop.runtimeSessionId).toBe(runtime.seen[0]!.runtimeSessionId);
    expect(runtime.seen.some(({ operation }) => operation === 'delete')).toBe(false);
    expect(errors).toEqual([]);
    await client.close();
  });

  it('M22 leaves the remote session running on close', async () => {
    const runtime = await start();
    const { client } = await connect(runtime, reuse);
    await client.close();
    expect(runtime.running).toHaveLength(1);
    expect(runtime.seen.some(({ operation }) => operation === 'stop')).toBe(false);
  });

  it('M22 takes a session that is not there any more for stopped', async () => {
    let now = 0;
    const runtime = await start({ idleMs: 1_000, now: () => now });
    const { client, transport } = await connect(runtime, reuse);
    now = 1_000;
    await transport.terminateSession();
    expect(runtime.seen.at(-1)).toMatchObject({ operation: 'stop', status: 404 });
    await client.close();
  });

  it('M20 forgets the handle before it stops: after a stop that failed, nothing more reaches that session', async () => {
    const runtime = await start();
    const { client, transport, remember } = await connect(runtime, reuse);
    runtime.plant('stop', 500);
    await expect(transport.terminateSession()).rejects.toMatchObject({ status: 500 });
    const before = runtime.seen.length;
    await expect(transport.terminateSession()).rejects.toThrow(LocalSessionHandleLostError);
    await expect(remember('ada')).rejects.toThrow(LocalSessionHandleLostError);
    expect(runtime.seen).toHaveLength(before);
    await client.close();
  });

  it('M20 and M21 send nothing under a handle that was pushed out by newer ones, and go on under the others', async () => {
    const runtime = await start();
    const connections = new RuntimeConnections(2);
    const [first, second, third] = [
      await connect(runtime, { ...reuse, connections }),
      await connect(runtime, { ...reuse, connections }),
      await connect(runtime, { ...reuse, connections }),
    ];
    const before = runtime.seen.length;
    await expect(first.remember('ada')).rejects.toMatchObject({
      code: 'ERR_LOCAL_SESSION_HANDLE_LOST',
      evidence: 'transport-forgot-handle',
      remote: 'unknown',
    });
    expect(runtime.seen).toHaveLength(before);
    expect(await second.remember('bob')).toBe('bob');
    expect(await third.remember('eve')).toBe('eve');
    await Promise.all([first, second, third].map(({ client }) => client.close()));
  });

  it('M4 shows the 404 of a server whose microVM went idle and came back without its session', async () => {
    let now = 0;
    const runtime = await start({ idleMs: 900_000, now: () => now });
    const { client, remember } = await connect(runtime, reuse);
    now = 899_999;
    expect(await remember('ada')).toBe('ada');
    now += 900_000;
    await expect(remember('ada')).rejects.toMatchObject({ status: 404 });
    expect(runtime.coldStarts).toBe(2);
    await client.close();
  });

  it('M3 shows a 429 as it is, Retry-After and all, to what repeats calls', async () => {
    const runtime = await start();
    const seen: (string | null)[] = [];
    const { client, remember } = await connect(runtime, {
      ...reuse,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (response.status !== 429) return response;
        seen.push(response.headers.get('retry-after'));
        return fetch(url, init);
      },
    });
    runtime.plant('tools/call', 429, { 'retry-after': '7' });
    expect(await remember('ada')).toBe('ada');
    expect(seen).toEqual(['7']);
    expect(sessionsOf(runtime).size).toBe(1);
    await client.close();
  });

  it('M24 stores no connection for an initialize that was refused or that named no session', async () => {
    const connections = new RuntimeConnections();
    const refusing = await start();
    refusing.plant('initialize', 500, { 'mcp-session-id': 'named-all-the-same' });
    await expect(connect(refusing, { ...reuse, connections })).rejects.toMatchObject({ status: 500 });
    expect(connections.size).toBe(0);
    const silent = await start({ keepsSessions: false });
    const strip: typeof fetch = async (url, init) => {
      const { status, headers, body } = await fetch(url, init);
      return new Response(body, { status, headers: [...headers].filter(([name]) => name !== 'mcp-session-id') });
    };
    const { client, transport, remember } = await connect(silent, { ...reuse, connections, fetch: strip });
    await remember('ada');
    expect(connections.size).toBe(0);
    expect(transport.sessionId).toBeUndefined();
    await client.close();
  });

  it('M24 begins no connection under 2026-07-28, which knows no sessions: each request opens a runtime session', async () => {
    const connections = new RuntimeConnections();
    const runtime = await start({ keepsSessions: false, speaks2026: true });
    const { client, transport, remember } = await connect(runtime, { ...reuse, connections }, 'auto');
    expect(await Promise.all(['ada', 'bob'].map(remember))).toEqual(['ada', 'bob']);
    expect(client.getProtocolEra()).toBe('modern');
    expect(sessionsOf(runtime).size).toBe(3);
    expect([connections.size, transport.sessionId]).toEqual([0, undefined]);
    await client.close();
  });

  it('M24 opens one connection with a server that does not know the question for its protocol', async () => {
    const runtime = await start();
    const { client, remember } = await connect(runtime, reuse, 'auto');
    expect([await remember('ada'), await remember('ada')]).toEqual(['ada', 'ada ada']);
    expect(runtime.seen.map(({ rpcMethod }) => rpcMethod).slice(0, 2)).toEqual(['server/discover', 'initialize']);
    expect(runtime.coldStarts).toBe(2);
    await client.close();
  });
});
