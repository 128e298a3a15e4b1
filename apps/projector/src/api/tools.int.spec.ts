import { encode, eventOf, factByType, topics, type Fact, type FactData } from '@doorledger/contracts';
import { ledgerApi, type LedgerApi } from '../testing/ledger-api.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const refs: Readonly<Record<string, string>> = {
  ann: 'a1'.repeat(16),
  bob: 'b0'.repeat(16),
  'ann’s': 'a5'.repeat(16),
  'bob’s': 'b5'.repeat(16),
};
const life = { hostId: 'h', bootId: uuid(1) };

let api: LedgerApi;
let at: { session: string; toolSession: string };
beforeAll(async () => {
  const references = {
    sessionRef: (_: string | undefined, id: string) => refs[id] ?? 'f0'.repeat(16),
    userRef: ({ subject }: { subject: string }) => refs[subject] ?? 'f1'.repeat(16),
  };
  api = await ledgerApi(references, {
    verify: async (token) => ({
      principal: { issuer: 'https://issuer.example', subject: token, roles: token === 'watcher' ? ['auditor'] : [] },
    }),
  });
  at = await tellStory();
});
afterAll(() => api.close());

async function append(key: string, fact: Fact): Promise<string> {
  const event = eventOf(fact, { source: '/doorledger/test/h', now: Date.now });
  const [position] = await api.log.append(factByType.get(fact.type)!.topic.name, [{ key, ...encode(event) }]);
  const { topic, partition, offset } = position!;
  return `${topic}:${partition}:${offset}`;
}

/** A turn each of Ann and Bob; each has called a tool once and waits for another call. Bob's host has closed his tool session. */
async function tellStory() {
  const last = { session: '', toolSession: '' };
  for (const [i, who] of ['ann', 'bob'].entries()) {
    const sessionRef = refs[`${who}’s`]!;
    const run = { turnId: uuid(10 + i), runId: uuid(20 + i) };
    const call = (n: number) => ({ ...run, callId: uuid(n + i), attempt: 1 });
    const opened: FactData<'tool-session.started'> = {
      ...{ ...life, ...run, sessionRef, callId: uuid(30 + i), toolSessionId: uuid(50 + i) },
      ...{ server: who === 'ann' ? 'mail' : 'files', tool: 'send', scope: 'session', keyHash: 'abcdef012345' },
    };
    const { server, tool, toolSessionId } = opened;
    const dispatched = { server, tool, gated: false, toolSessionId };
    await append(sessionRef, { type: 'turn.claimed', data: { ...life, ...run, after: null, signer: refs[who]! } });
    last.toolSession = await append(opened.keyHash, { type: 'tool-session.started', data: opened });
    await append(sessionRef, { type: 'tool-call.dispatched', data: { ...call(30), ...dispatched } });
    await append(sessionRef, { type: 'tool-call.finished', data: { ...call(30), outcome: 'ok', durationMs: 3 } });
    last.session = await append(sessionRef, { type: 'tool-call.dispatched', data: { ...call(40), ...dispatched } });
    if (who === 'ann') continue;
    const closed = { ...opened, calls: 1, reason: 'run-end', cleanupMs: 1, ageMs: 4 } as const;
    last.toolSession = await append(opened.keyHash, { type: 'tool-session.closed', data: closed });
  }
  return last;
}

async function get(path: string, who?: string) {
  const { statusCode, body } = await api.app.inject({
    url: `/v1/${path}`,
    headers: who === undefined ? {} : { authorization: `Bearer ${who}` },
  });
  return {
    status: statusCode,
    body: JSON.parse(body) as { items: { toolSessionId: string; callId: string }[]; code: string; error: string },
  };
}
const toolSessions = async (query: string, who = 'watcher') => (await get(`tool-sessions?at=${at.toolSession}&${query}`, who)).body.items;
const calls = async (query: string, who = 'watcher') =>
  (await get(`tool-calls?at=${at.session}&${query}`, who)).body.items.map((c) => c.callId);

it('P2 and P3 show tool sessions with the caller’s own write, narrowed by what was asked for', async () => {
  const [closed, live] = await toolSessions('');
  const common = { ...life, tool: 'send', scope: 'session', keyHash: 'abcdef012345', calls: 1 };
  expect(live).toMatchObject({ ...common, toolSessionId: uuid(50), state: 'live', server: 'mail', sessionRef: refs['ann’s'] });
  expect(closed).toMatchObject({ ...common, toolSessionId: uuid(51), state: 'ended', server: 'files', reason: 'run-end', ageMs: 4 });
  expect(live).toMatchObject({
    startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    turnId: uuid(10),
    runId: uuid(20),
    callId: uuid(30),
  });
  const ids = async (query: string) => (await toolSessions(query)).map((item) => item.toolSessionId);
  for (const query of ['state=live', 'server=mail', `session=${refs['ann’s']}`, `session=${encodeURIComponent('ann’s')}`])
    expect([query, await ids(query)]).toEqual([query, [uuid(50)]]);
  for (const query of ['state=ended', 'reason=run-end', 'server=files&state=ended'])
    expect([query, await ids(query)]).toEqual([query, [uuid(51)]]);
  expect(await ids('reason=host-lost')).toEqual([]);
});

it('P2 shows tool calls by their state, session, turn, server and tool, page by page', async () => {
  expect(await calls('state=dispatched')).toEqual([uuid(41), uuid(40)]);
  expect(await calls('state=outcome-unknown')).toEqual([]);
  expect(await calls(`turn=${uuid(11)}&state=ok`)).toEqual([uuid(31)]);
  expect(await calls(`session=${encodeURIComponent('ann’s')}`)).toEqual([uuid(40), uuid(30)]);
  expect(await calls('server=mail&tool=send')).toEqual([uuid(40), uuid(30)]);
  const pages: string[] = [];
  for (let cursor = ''; pages.length < 4;) {
    const { body } = await get(`tool-calls?limit=3${cursor}`, 'watcher');
    pages.push(...body.items.map((c) => c.callId));
    cursor = `&cursor=${(body as { cursor?: string }).cursor}`;
  }
  expect(new Set(pages).size).toBe(4);
});

it('P1 shows a person what is their own, whatever they ask for, and nobody anything who proves nothing', async () => {
  for (const query of ['', `session=${refs['bob’s']}`, 'state=live'])
    expect((await toolSessions(query, 'bob')).map((item) => item.toolSessionId)).toEqual(query === 'state=live' ? [] : [uuid(51)]);
  expect(await toolSessions(`session=${refs['bob’s']}`, 'ann')).toEqual([]);
  expect(await calls('', 'ann')).toEqual([uuid(40), uuid(30)]);
  expect(await calls(`turn=${uuid(11)}`, 'ann')).toEqual([]);
  expect(await calls('', 'carol')).toEqual([]);
  for (const path of ['tool-sessions', 'tool-calls'])
    expect(await get(path)).toMatchObject({ status: 401, body: { code: 'ERR_IDENTITY_NOT_VERIFIED' } });
});

it.each([
  ['tool-sessions?stat=live', 'Known are: state, session, server, reason, limit, cursor, at.'],
  ['tool-sessions?state=open', 'live, ended'],
  ['tool-sessions?reason=bored', 'host-lost'],
  ['tool-sessions?server=', '1 to 400'],
  ['tool-sessions?session=a%00b', 'control character'],
  ['tool-sessions?cursor=x', 'cursor'],
  ['tool-sessions?state=live&state=live', 'once'],
  ['tool-calls?reason=idle', 'Known are: state, session, turn, server, tool, limit, cursor, at.'],
  ['tool-calls?state=unknown', 'outcome-unknown'],
  ['tool-calls?turn=', '1 to 400'],
  ['tool-calls?limit=0', 'from 1 to 100'],
  [`tool-calls?at=${topics.consent.name}:0:0`, 'topic:partition:offset'],
])('P7 refuses %s and says what is known', async (path, word) => {
  expect(await get(path, 'watcher')).toMatchObject({
    status: 400,
    body: { code: 'ERR_INVALID_QUERY', error: expect.stringContaining(word) },
  });
});
