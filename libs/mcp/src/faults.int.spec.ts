import { randomUUID } from 'node:crypto';
import type { CallProgress, CallTry, SendOptions } from './call-end.js';
import { Connection } from './connection.js';
import { FaultServer } from './testing/fault-server.js';
import { OpenServers, contextOf, httpAt, settingsOf, type SomeSettings } from './testing/open-servers.js';

let server: FaultServer;
let open: OpenServers | undefined;
/** Every connection a test opened: what its ledger holds is looked at when the test is over. */
const connections: Connection[] = [];
const reallyOpen = Connection.open.bind(Connection);

beforeEach(async () => {
  server = await new FaultServer().listen();
  jest.spyOn(Connection, 'open').mockImplementation(async (options) => {
    const connection = await reallyOpen(options);
    connections.push(connection);
    return connection;
  });
});
afterEach(async () => {
  await open?.close();
  open = undefined;
  await server.close();
  jest.restoreAllMocks();
  const left = connections.splice(0).map(({ ledger }) => ledger.size);
  expect(left.filter((size) => size > 0)).toEqual([]);
});

async function opened(some: Partial<SomeSettings> = {}): Promise<OpenServers> {
  open = new OpenServers([settingsOf({ transport: httpAt(server.url), ...some })]);
  await open.servers.start();
  return open;
}

async function call(tool: string, args: Record<string, unknown> = {}, options: Partial<SendOptions> = {}, context = contextOf()) {
  const prepared = await open!.servers.prepare(context, 'faults', tool);
  const tag = randomUUID();
  const end = await prepared.send({ ...args, tag }, { signal: new AbortController().signal, ...options });
  prepared.release();
  return { end, tag };
}

describe('answers', () => {
  it('M1 answers a result as text, structured content and files', async () => {
    await opened();
    expect((await call('ok')).end).toMatchObject({ outcome: 'ok', text: 'done', files: [] });
    expect((await call('stream')).end).toMatchObject({ outcome: 'ok', text: 'done' });
    const { end } = await call('image');
    expect(end).toMatchObject({ outcome: 'ok', text: 'see\n[image]', files: [{ mimeType: 'image/png' }] });
  });

  it('M1 names server and tool where the tool says that it failed', async () => {
    await opened();
    expect((await call('error')).end).toMatchObject({
      outcome: 'error',
      errorClass: 'ToolError',
      text: expect.stringMatching(/faults\.error.*not today/),
    });
    expect((await call('rpc-error')).end).toMatchObject({
      outcome: 'error',
      errorClass: 'ProtocolError',
      text: expect.stringContaining('no such thing'),
    });
  });

  it('M10 sends what the client would have sent: no marker is on the wire, fence and trace are where they belong', async () => {
    await opened({ fence: true });
    const fence = { callId: randomUUID(), partition: 3, offset: 17 };
    const { end } = await call('meta', {}, { fence, traceparent: '00-1' });
    expect(end).toMatchObject({
      structured: { meta: { 'io.doorledger/fence': fence, traceparent: '00-1', progressToken: expect.anything() } },
    });
    expect(server.bodies.join('')).not.toContain('doorledger/marker');
  });

  it('M11 takes an answer to "1" for nobody and never for the call with id 1', async () => {
    await opened();
    expect((await call('text-id')).end).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_ANSWER_MISMATCHED' });
  });

  it('M5 ends a call whose answer carries a foreign id within its bound, unknown', async () => {
    await opened({ idleMs: 300 });
    const { end, tag } = await call('wrong-id');
    expect(end).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_TOOL_CALL_TIMEOUT' });
    expect(server.times(tag)).toBe(1);
  });

  it('M16 takes the first of two answers and holds nothing after it', async () => {
    await opened();
    expect((await call('twice')).end).toMatchObject({ outcome: 'ok', text: 'first' });
    expect((await call('ok')).end).toMatchObject({ outcome: 'ok', text: 'done' });
  });

  it('M6 never takes in a result past the bound, as one body or as a stream', async () => {
    await opened();
    for (const tool of ['large', 'large-stream']) {
      const { end, tag } = await call(tool, { bytes: 200_000 });
      expect(end).toMatchObject({ outcome: 'error', errorClass: 'ERR_TOOL_RESULT_TOO_LARGE' });
      expect(server.times(tag)).toBe(1);
    }
    expect((await call('large', { bytes: 60_000 })).end.outcome).toBe('ok');
  });
});

describe('silence, loss and refusal', () => {
  it.each(['hang', 'accepted'])(
    'M5 and M13 a call that is never answered (%s) ends unknown at its idle bound, received once',
    async (tool) => {
      await opened({ idleMs: 300 });
      const { end, tag } = await call(tool);
      expect(end).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_TOOL_CALL_TIMEOUT' });
      expect(server.times(tag)).toBe(1);
    },
  );

  it('M8 is silent as long as the call may be: silence inside the bound is not an error', async () => {
    await opened({ idleMs: 5_000 });
    expect((await call('slow', { ms: 2_000 })).end).toMatchObject({ outcome: 'ok', text: 'late' });
  });

  it('M8 extends the idle bound by progress, and passes it on', async () => {
    await opened({ idleMs: 600 });
    const seen: CallProgress[] = [];
    const { end } = await call('progress', { count: 6, everyMs: 200 }, { onProgress: (progress) => seen.push(progress) });
    expect(end).toMatchObject({ outcome: 'ok' });
    expect(seen).toHaveLength(6);
    expect(seen[0]).toEqual({ progress: 1, total: 6, message: 'step 1' });
  });

  it('M8 never extends the total, whatever the progress', async () => {
    await opened({ idleMs: 600, callMs: 900 });
    const { end, tag } = await call('progress', { count: 40, everyMs: 100 });
    expect(end).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_TOOL_CALL_TIMEOUT' });
    expect(server.times(tag)).toBe(1);
  });

  it.each(['drop', 'end-without-answer', 'half'])(
    'M4 a call whose answer is cut off (%s) is unknown at once, and never sent again',
    async (tool) => {
      await opened();
      const { end, tag } = await call(tool);
      expect(end.outcome).toBe('unknown');
      expect(end.durationMs).toBeLessThan(15_000);
      expect(server.times(tag)).toBe(1);
    },
  );

  it('M4 and M8 takes the answer up where a cut stream may be resumed: asked for, not sent again', async () => {
    await opened();
    const { end, tag } = await call('resume');
    expect(end).toMatchObject({ outcome: 'ok', text: 'resumed' });
    expect(server.times(tag)).toBe(1);
  });

  it.each([500, 502, 503, 504, 408])('M3 never repeats after HTTP %i: it may have run', async (status) => {
    await opened();
    const { end, tag } = await call('status', { status });
    expect(end).toMatchObject({ outcome: 'unknown', errorClass: `HTTP_${status}` });
    expect(server.times(tag)).toBe(1);
  });

  it.each([400, 401, 403, 405, 410])('M4 HTTP %i is the answer to the call: it was refused', async (status) => {
    await opened();
    const { end, tag } = await call('status', { status });
    expect(end).toMatchObject({ outcome: 'error', errorClass: `HTTP_${status}` });
    expect(server.times(tag)).toBe(1);
  });

  it('M3 and M6 does not follow a redirect: neither the call nor the credentials go elsewhere', async () => {
    await opened({ transport: httpAt(server.url, { authorization: 'Bearer secret' }) });
    const { end, tag } = await call('redirect');
    expect(end).toMatchObject({ outcome: 'error', errorClass: 'HTTP_307' });
    expect(server.times(tag)).toBe(1);
  });
});

describe('the retry series', () => {
  it('M3 repeats after 429 at most twice and tells every try of the series', async () => {
    await opened();
    const tries: CallTry[] = [];
    const { end, tag } = await call('busy', { times: 2 }, { onTry: (tried) => tries.push(tried) });
    expect(end).toMatchObject({ outcome: 'ok', text: 'after all' });
    expect(server.times(tag)).toBe(3);
    expect(tries.map(({ try: n, httpStatus }) => [n, httpStatus])).toEqual([
      [1, 429],
      [2, 429],
      [3, 200],
    ]);
    expect(tries[0]?.waitMs).toBe(0);
    expect(tries[1]?.waitMs).toBeGreaterThanOrEqual(100);
    expect(tries[2]?.waitMs).toBeGreaterThanOrEqual(200);
  });

  it('M3 gives up after three tries: the server said no', async () => {
    await opened();
    const { end, tag } = await call('busy', { times: 9 });
    expect(end).toMatchObject({ outcome: 'error', errorClass: 'ERR_TOOL_SERVER_BUSY' });
    expect(server.times(tag)).toBe(3);
  });

  it('M3 waits as long as Retry-After asks, in seconds or to a date', async () => {
    await opened();
    const dates = [() => '1', () => new Date(Date.now() + 4_000).toUTCString()];
    for (const after of dates) {
      const tries: CallTry[] = [];
      const { end } = await call('busy', { times: 1, after: after() }, { onTry: (tried) => tries.push(tried) });
      expect(end.outcome).toBe('ok');
      expect(tries[1]?.waitMs).toBeGreaterThan(200); // more than it would wait unasked
    }
  });

  it('M3 does not wait longer than ten seconds in all', async () => {
    await opened();
    const { end, tag } = await call('busy', { times: 1, after: '60' });
    expect(end).toMatchObject({ outcome: 'error', errorClass: 'ERR_TOOL_SERVER_BUSY' });
    expect(server.times(tag)).toBe(1);
  });

  it('M12 and M18 a cancel stops the series at once: nothing is sent after it', async () => {
    await opened();
    const aborting = new AbortController();
    const { end, tag } = await call('busy', { times: 9, after: '5' }, { signal: aborting.signal, onTry: () => aborting.abort() });
    expect(end).toMatchObject({ outcome: 'cancelled' });
    expect(server.times(tag)).toBe(1);
  });

  it('M13 has no retry series where calls are app-authorized', async () => {
    await opened({ strict: true });
    const { end, tag } = await call('busy', { times: 1 });
    expect(end).toMatchObject({ outcome: 'error', errorClass: 'ERR_TOOL_SERVER_BUSY' });
    expect(server.times(tag)).toBe(1);
    expect((await call('ok')).end.outcome).toBe('ok');
  });
});

describe('the send window', () => {
  it('L2 sends nothing once the dispatch is too old, however late that shows: while connecting, or between two tries', async () => {
    await opened();
    const answers = [true, false];
    const late = await call('ok', {}, { maySend: () => answers.shift() ?? false });
    expect(late.end).toMatchObject({ outcome: 'not-sent', errorClass: 'ERR_SEND_WINDOW', mayDispatchAgain: true });
    expect(server.times(late.tag)).toBe(0);
    const tries = [true, true, false];
    const between = await call('busy', { times: 1 }, { maySend: () => tries.shift() ?? false });
    expect(between.end).toMatchObject({ outcome: 'error', errorClass: 'ERR_TOOL_SERVER_BUSY' });
    expect(server.times(between.tag)).toBe(1);
  });
});

describe('cancels', () => {
  it('M12 a turn that is given up becomes notifications/cancelled for its id, with no reason', async () => {
    await opened();
    const aborting = new AbortController();
    const prepared = await open!.servers.prepare(contextOf(), 'faults', 'hang');
    const sent = prepared.send({ tag: 't' }, { signal: aborting.signal });
    while (server.times('t') === 0) await new Promise(setImmediate);
    aborting.abort(new Error('the user said something private'));
    expect(await sent).toMatchObject({ outcome: 'cancelled' });
    while (server.cancelled.length === 0) await new Promise(setImmediate);
    expect(server.cancelled).toEqual([{ requestId: server.received[0]?.message.id }]);
    prepared.release();
  });

  it('M4 a call given up before it was sent is not-sent, and nothing of it arrives', async () => {
    await opened();
    const { end, tag } = await call('ok', {}, { signal: AbortSignal.abort() });
    expect(end).toMatchObject({ outcome: 'not-sent', mayDispatchAgain: false });
    expect(server.times(tag)).toBe(0);
  });
});

describe('lost sessions', () => {
  it.each([true, false])('M13 and M18 the close of a connection ends what waits on it (app-authorized: %s)', async (strict) => {
    await opened({ strict });
    const prepared = await open!.servers.prepare(contextOf(), 'faults', 'hang');
    const sent = prepared.send({ tag: 't' }, { signal: new AbortController().signal });
    while (server.times('t') === 0) await new Promise(setImmediate);
    await open!.tier.close();
    expect(await sent).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_CONNECTION_CLOSED' });
    prepared.release();
    expect(await prepared.send({}, { signal: new AbortController().signal })).toMatchObject({
      outcome: 'not-sent',
      mayDispatchAgain: true,
    });
  });

  it('M4 a session the server forgot is closed upstream-gone; its call did not run and may go out once on a new one', async () => {
    await opened();
    const first = await call('gone');
    expect(first.end).toMatchObject({ outcome: 'not-sent', errorClass: 'ERR_UPSTREAM_SESSION_GONE', mayDispatchAgain: true });
    expect((await call('ok')).end.outcome).toBe('ok');
    await open!.tier.settled();
    const [closed] = open!.facts.filter((fact) => fact.type === 'tool-session.closed');
    expect(closed?.data).toMatchObject({ reason: 'upstream-gone' });
    expect(server.initialized).toBe(3); // one for the list, one per session
    expect(server.times(first.tag)).toBe(1);
  });

  it('M4 after an earlier try, or under an approval, nobody vouches for it: unknown', async () => {
    await opened();
    expect((await call('busy-then-gone')).end).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_UPSTREAM_SESSION_GONE' });
    await open!.close();
    await opened({ strict: true });
    expect((await call('gone')).end).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_UPSTREAM_SESSION_GONE' });
  });

  it('M4 a server that is not there any more got nothing: not-sent', async () => {
    await opened();
    const prepared = await open!.servers.prepare(contextOf(), 'faults', 'ok');
    await server.close();
    // Long enough to hear that the idle connection was closed: what is written to one that is closing may have been read.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const end = await prepared.send({}, { signal: new AbortController().signal });
    prepared.release();
    expect(end).toMatchObject({ outcome: 'not-sent', errorClass: 'ECONNREFUSED', mayDispatchAgain: true });
    server = await new FaultServer().listen();
  });

  it('M22 a session that ends is ended by name at the server', async () => {
    await opened();
    await call('ok');
    expect(server.deleted).toBe(1); // the one for the list
    await open!.tier.close();
    expect(server.deleted).toBe(2);
    expect(server.sessions.size).toBe(0);
  });
});
