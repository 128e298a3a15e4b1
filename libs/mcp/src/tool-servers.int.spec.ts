import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { FaultServer, toolOf } from './testing/fault-server.js';
import { OpenServers, contextOf, httpAt, settingsOf } from './testing/open-servers.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function faulty(options: ConstructorParameters<typeof FaultServer>[0] = {}): Promise<FaultServer> {
  const server = await new FaultServer(options).listen();
  closing.push(() => server.close());
  return server;
}

function servers(...settings: Parameters<typeof settingsOf>[0][]): OpenServers {
  const open = new OpenServers(settings.map(settingsOf));
  closing.push(() => open.close());
  return open;
}

/** Takes connections and never says a word. */
async function silent(): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sockets };
}

const ok = { signal: new AbortController().signal };

describe('opening', () => {
  it('M5 a server that never answers holds up neither the start nor the others, and is said by name', async () => {
    const { url } = await silent();
    const good = await faulty();
    const open = servers(
      { name: 'mute', transport: httpAt(url), connectMs: 400, closeMs: 300 },
      { name: 'good', transport: httpAt(good.url) },
    );
    await open.servers.start();
    expect(open.troubles).toEqual([expect.stringContaining('"mute" could not be reached')]);
    expect(open.servers.tools().every(({ server }) => server === 'good')).toBe(true);
  });

  it('M5 a server that never answers does not hold up a shutdown', async () => {
    const { url, sockets } = await silent();
    const open = servers({ name: 'mute', transport: httpAt(url), connectMs: 60_000, closeMs: 300 });
    const starting = open.servers.start();
    while (sockets.size === 0) await new Promise(setImmediate);
    await open.servers.close();
    await starting;
    expect(open.servers.tools()).toEqual([]);
  });

  it('M5 a server that takes the session but never lists is given up at the list bound', async () => {
    const server = await faulty({ pages: () => [undefined as never] });
    const open = servers({ transport: httpAt(server.url), listMs: 300 });
    await open.servers.start();
    expect(open.troubles).toEqual([expect.stringContaining('did not list its tools within 300 ms')]);
    expect(server.methods).toContain('tools/list');
  });

  it('M7 a list without an end stops by name, over the wire too', async () => {
    const pages = [
      { tools: [toolOf('a')], nextCursor: '1' },
      { tools: [], nextCursor: '2' },
      { tools: [], nextCursor: '1' },
    ];
    const server = await faulty({ pages: () => pages });
    const open = servers({ name: 'loop', transport: httpAt(server.url) });
    await open.servers.start();
    expect(open.troubles).toEqual([expect.stringContaining('"loop" repeats a cursor')]);
  });

  it('T12 and M24 first calls at the same time open one session per key, and two people never share one', async () => {
    const server = await faulty();
    const open = servers({ transport: httpAt(server.url) });
    await open.servers.start();
    const people = ['ada', 'ada', 'ada', 'bob', 'bob'];
    const calls = await Promise.all(people.map((principal) => open.servers.prepare(contextOf({ principal }), 'faults', 'ok')));
    await Promise.all(calls.map((call, n) => call.send({ tag: people[n] }, ok)));
    for (const call of calls) call.release();
    expect(server.initialized).toBe(1 + 2);
    const owners = new Map<string, Set<unknown>>();
    for (const { session = '', args } of server.received) owners.set(session, (owners.get(session) ?? new Set()).add(args['tag']));
    expect([...owners.values()].map((people_) => people_.size)).toEqual([1, 1]);
  });

  it('T4 a tool of scope session without a session id is refused by name, and nothing is opened', async () => {
    const server = await faulty();
    const open = servers({ transport: httpAt(server.url) });
    await open.servers.start();
    const context = { principal: 'ada', turnId: contextOf().turnId, runId: contextOf().runId, callId: contextOf().callId };
    await expect(open.servers.prepare(context, 'faults', 'ok')).rejects.toMatchObject({ code: 'ERR_TOOL_SESSION_KEY' });
    expect(server.initialized).toBe(1);
  });

  it('M5 a start that fails is not kept: the next call opens anew', async () => {
    const server = await faulty();
    const open = servers({ transport: httpAt(server.url) });
    await open.servers.start();
    const { port } = new URL(server.url);
    await server.close();
    await expect(open.servers.prepare(contextOf(), 'faults', 'ok')).rejects.toMatchObject({ code: 'ERR_TOOL_SERVER_UNREACHABLE' });
    await server.listen(Number(port));
    const call = await open.servers.prepare(contextOf(), 'faults', 'ok');
    expect(await call.send({}, ok)).toMatchObject({ outcome: 'ok' });
    call.release();
  });

  it('M6 credentials are in no fact, error, trouble or result', async () => {
    const server = await faulty();
    const secret = 'Bearer s3cr3t-t0ken';
    const open = servers({ transport: httpAt(server.url, { authorization: secret }) });
    await open.servers.start();
    expect(server.headers.every(({ authorization }) => authorization === secret)).toBe(true);
    const call = await open.servers.prepare(contextOf(), 'faults', 'status');
    const ends = [await call.send({ status: 401 }, ok), await call.send({ status: 500 }, ok)];
    call.release();
    await server.close();
    const refused = await open.servers
      .prepare(contextOf({ sessionId: 's2' }), 'faults', 'ok')
      .catch((error: Error) => [error.message, String(error.cause), error.stack]);
    expect(JSON.stringify([ends, refused, open.facts, open.troubles])).not.toContain('s3cr3t');
    await server.listen();
  });
});

describe('tool lists', () => {
  it('M7 refuses to start with two tools of one name', async () => {
    const [a, b] = [await faulty({ pages: () => [{ tools: [toolOf('c')] }] }), await faulty({ pages: () => [{ tools: [toolOf('b.c')] }] })];
    const open = servers({ name: 'a.b', transport: httpAt(a.url) }, { name: 'a', transport: httpAt(b.url) });
    await expect(open.servers.start()).rejects.toMatchObject({ code: 'ERR_TOOL_NAME_AMBIGUOUS' });
    expect(() => servers({ transport: httpAt(a.url) }, { transport: httpAt(b.url) })).toThrow(
      expect.objectContaining({ code: 'ERR_TOOL_SERVER_TWICE' }),
    );
  });

  it('M2 and M7 a change over HTTP is read once for all who heard it, is a fact, and drops an ambiguous newcomer loudly', async () => {
    let tools = [toolOf('ok', 'one'), toolOf('same')];
    const server = await faulty({ pages: () => [{ tools }] });
    const other = await faulty({ pages: () => [{ tools: [toolOf('b.c')] }] });
    const open = servers({ name: 'a', transport: httpAt(other.url) }, { name: 'a.b', transport: httpAt(server.url) });
    await open.servers.start();
    const calls = await Promise.all(['s1', 's2', 's3'].map((sessionId) => open.servers.prepare(contextOf({ sessionId }), 'a.b', 'ok')));
    while (server.listening < 3) await new Promise(setImmediate);
    const before = open.servers.tools().find(({ tool }) => tool === 'ok')?.hash;
    const listed = () => server.methods.filter((method) => method === 'tools/list').length;
    // Once at the start, and once on each connection: what an approval is judged by (M2).
    expect(listed()).toBe(4);
    tools = [toolOf('ok', 'two'), toolOf('same'), toolOf('c')];
    server.tell('notifications/tools/list_changed');
    while (open.troubles.length === 0) await new Promise(setImmediate);
    expect(open.facts.filter(({ type }) => type === 'tool.changed')).toEqual([
      {
        type: 'tool.changed',
        data: { server: 'a.b', tool: 'ok', from: before, to: open.servers.tools().find(({ tool }) => tool === 'ok')?.hash },
      },
    ]);
    expect(open.troubles[0]).toContain('"a.b.c"');
    expect(open.servers.tools().find(({ name }) => name === 'a.b.c')?.server).toBe('a');
    for (const call of calls) call.release();
    expect(listed()).toBeLessThanOrEqual(6);
  });

  it('M2 lists a server that comes back', async () => {
    const server = await new FaultServer().listen();
    const { url } = server;
    await server.close();
    const open = servers({ transport: httpAt(url) });
    await open.servers.start();
    expect(open.servers.tools()).toEqual([]);
    await server.listen(Number(new URL(url).port));
    closing.push(() => server.close());
    while (open.servers.tools().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(open.troubles).toHaveLength(1);
  });
});

describe('the newer protocol', () => {
  it('M14 speaks 2026-07-28 with a server that does: no session, strict calls too', async () => {
    const server = await faulty({ protocol: '2026-07-28' });
    for (const strict of [false, true]) {
      const open = servers({ transport: httpAt(server.url), strict });
      await open.servers.start();
      const call = await open.servers.prepare(contextOf(), 'faults', 'meta');
      expect(await call.send({}, ok)).toMatchObject({ outcome: 'ok' });
      call.release();
    }
    expect(server.initialized).toBe(0);
    expect(server.received[0]?.message.params?._meta).toMatchObject({ 'io.modelcontextprotocol/protocolVersion': '2026-07-28' });
  });

  it('M12 gives up a call by closing its stream', async () => {
    const server = await faulty({ protocol: '2026-07-28' });
    const open = servers({ transport: httpAt(server.url), idleMs: 300 });
    await open.servers.start();
    const call = await open.servers.prepare(contextOf(), 'faults', 'hang');
    expect(await call.send({ tag: 'h' }, ok)).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_TOOL_CALL_TIMEOUT' });
    call.release();
    expect(server.times('h')).toBe(1);
  });
});
