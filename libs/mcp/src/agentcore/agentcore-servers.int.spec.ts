import { contextOf, OpenServers, settingsOf } from '../testing/open-servers.js';
import { LocalAgentCoreRuntime, type LocalRuntimeOptions } from './testing/local-runtime.js';
import { sharedSessions } from './testing/seen-request.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serversOn(options: LocalRuntimeOptions, strategy: 'per-call' | 'reuse', headers = {}) {
  const runtime = await LocalAgentCoreRuntime.start(options);
  const transport = { kind: 'agentcore', url: runtime.url, headers, strategy } as const;
  const opened = new OpenServers([settingsOf({ name: 'tools', transport })], { live: 300 });
  open.push(runtime, opened);
  await opened.servers.start();
  return { runtime, opened };
}

async function remember({ servers }: OpenServers, who: string, context = contextOf({ principal: who })) {
  const prepared = await servers.prepare(context, 'tools', 'remember');
  try {
    return await prepared.send({ who }, { signal: new AbortController().signal });
  } finally {
    prepared.release();
  }
}

describe('tools on AgentCore Runtime', () => {
  it('M24 gives each of two people’s two sessions one runtime session for 25 calls at once, and stops all of them', async () => {
    const { runtime, opened } = await serversOn({ keepsSessions: true, coldStartMs: 20 }, 'reuse');
    const keys = ['ada', 'bob'].flatMap((principal) => ['s1', 's2'].map((sessionId) => ({ principal, sessionId })));
    const ends = await Promise.all(
      keys.flatMap((key) => Array.from({ length: 25 }, () => remember(opened, `${key.principal}/${key.sessionId}`, contextOf(key)))),
    );
    expect(ends.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    const calls = runtime.seen.filter(({ rpcMethod }) => rpcMethod === 'tools/call');
    expect(calls).toHaveLength(100);
    expect(new Set(calls.map(({ runtimeSessionId }) => runtimeSessionId)).size).toBe(4);
    expect(sharedSessions(runtime.seen).size).toBe(0);
    expect(opened.types().filter((type) => type === 'tool-session.started')).toHaveLength(4);
    await opened.tier.close();
    expect(runtime.running.filter((session) => calls.some(({ runtimeSessionId }) => runtimeSessionId === session))).toEqual([]);
    expect(opened.types().filter((type) => type === 'tool-session.closed')).toHaveLength(4);
  });

  it('M25 registers no tool session under per-call, and no call meets another one’s microVM', async () => {
    const { runtime, opened } = await serversOn({ keepsSessions: false }, 'per-call');
    const ends = await Promise.all(Array.from({ length: 10 }, (_, i) => remember(opened, i % 2 ? 'ada' : 'bob')));
    expect(new Set(ends.map((end) => end.outcome === 'ok' && end.text))).toEqual(new Set(['ada', 'bob']));
    expect(opened.tier.live).toBe(0);
    expect(opened.facts).toEqual([]);
    const sessions = runtime.seen.map(({ runtimeSessionId }) => runtimeSessionId);
    expect(new Set(sessions).size).toBe(sessions.length);
  });

  it.each([
    ['three microVMs', false, ['initialize', 'notifications/initialized', 'tools/call']],
    ['one microVM', true, ['tools/call']],
  ])('M25 starts %s for a call under per-call (2026-07-28: %s)', async (_, speaks2026, methods) => {
    const { runtime, opened } = await serversOn({ keepsSessions: false, speaks2026 }, 'per-call');
    const before = runtime.seen.length;
    await remember(opened, 'ada');
    expect(runtime.seen.slice(before).map(({ rpcMethod }) => rpcMethod)).toEqual(methods);
    expect(runtime.coldStarts).toBe(runtime.seen.length);
  });

  it('M4 opens a new session after the microVM went idle, and sends the call that met the 404 no second time by itself', async () => {
    let now = 0;
    const { runtime, opened } = await serversOn({ keepsSessions: true, idleMs: 900_000, now: () => now }, 'reuse');
    await remember(opened, 'ada');
    now = 900_000;
    const met = await remember(opened, 'ada');
    expect(met).toMatchObject({ outcome: 'not-sent', errorClass: 'ERR_UPSTREAM_SESSION_GONE', mayDispatchAgain: true });
    expect(await remember(opened, 'ada')).toMatchObject({ outcome: 'ok', text: 'ada' });
    expect(runtime.seen.filter(({ rpcMethod }) => rpcMethod === 'tools/call').map(({ status }) => status)).toEqual([200, 404, 200]);
    expect(opened.facts).toContainEqual(
      expect.objectContaining({ type: 'tool-session.closed', data: expect.objectContaining({ reason: 'upstream-gone' }) }),
    );
  });

  it('M21 and M23 end the call of a connection that 256 others pushed out not-sent, stop nothing, and open anew for the next', async () => {
    const { runtime, opened } = await serversOn({ keepsSessions: true }, 'reuse');
    const stopped = runtime.seen.filter(({ operation }) => operation === 'stop').length;
    for (let i = 0; i < 257; i++) expect(await remember(opened, `person-${i}`)).toMatchObject({ outcome: 'ok' });
    const [first] = opened.facts;
    expect(await remember(opened, 'person-0')).toMatchObject({
      outcome: 'not-sent',
      errorClass: 'ERR_LOCAL_SESSION_HANDLE_LOST',
      mayDispatchAgain: true,
    });
    await opened.tier.settled();
    expect(opened.facts.at(-1)).toMatchObject({ type: 'tool-session.closed', data: { ...first!.data, reason: 'handle-lost' } });
    expect(runtime.seen.filter(({ operation }) => operation === 'stop')).toHaveLength(stopped);
    expect(runtime.seen.filter(({ who }) => who === 'person-0')).toHaveLength(1);
    expect(await remember(opened, 'person-0')).toMatchObject({ outcome: 'ok', text: 'person-0' });
  });

  it('M3 waits as Retry-After says and stays in its runtime session', async () => {
    const { runtime, opened } = await serversOn({ keepsSessions: true }, 'reuse');
    runtime.plant('tools/call', 429, { 'retry-after': '0' });
    expect(await remember(opened, 'ada')).toMatchObject({ outcome: 'ok', text: 'ada' });
    const calls = runtime.seen.filter(({ rpcMethod }) => rpcMethod === 'tools/call');
    expect(calls.map(({ status }) => status)).toEqual([429, 200]);
    expect(new Set(calls.map(({ runtimeSessionId }) => runtimeSessionId)).size).toBe(1);
  });

  it.each([
    ['are let in', 'Bearer never-to-be-seen'],
    ['are refused', 'Bearer another'],
  ])('M6 keeps credentials that %s, and the names of runtime sessions, out of facts, troubles and answers', async (_, authorization) => {
    const headers = { authorization: 'Bearer never-to-be-seen' };
    const { runtime, opened } = await serversOn({ keepsSessions: true, authorization }, 'reuse', headers);
    const said: unknown[] = [opened.troubles, opened.facts];
    said.push(await remember(opened, 'ada').catch((error: Error) => error.message));
    expect(runtime.seen.length).toBeGreaterThan(0);
    expect(runtime.seen.every((seen) => seen.authorization === headers.authorization)).toBe(true);
    expect(JSON.stringify(said)).not.toMatch(/never-to-be-seen|doorledger-[0-9a-f]{8}/);
  });
});
