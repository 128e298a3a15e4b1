import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { type EventLog, type Position } from '@doorledger/event-log';
import { LedgerGenerations, replay } from '@doorledger/ledger';
import { type Projection } from '../projection.js';
import { ledgerApi, type LedgerApi } from '../testing/ledger-api.js';

const [turnId, runId, bootId] = ['1', '2', '3'].map((d) => `00000000-0000-4000-8000-00000000000${d}`) as [string, string, string];
const sessionRef = 'ab'.repeat(16);

let dir: string;
let log: EventLog;
let projection: Projection;
let app: NestFastifyApplication;

let api: LedgerApi;
beforeAll(async () => {
  api = await ledgerApi({ sessionRef: (_: string | undefined, id: string) => (id === 'my session' ? sessionRef : '') });
  ({ dir, log, projection, app } = api);
});
afterAll(() => api.close());

async function append(fact: Fact): Promise<string> {
  const event = eventOf(fact, { source: '/doorledger/test/h', now: Date.now });
  const [at] = await log.append(topics.session.name, [{ key: sessionRef, ...encode(event) }]);
  return textOf(at!);
}
const textOf = ({ topic, partition, offset }: Position) => `${topic}:${partition}:${offset}`;
const get = async (url: string) => {
  const { statusCode, headers, body } = await app.inject({ url });
  return { status: statusCode, headers, body: JSON.parse(body) };
};

it('P3 answers with the caller’s own write, and says how far that answer reaches', async () => {
  const at = await append({ type: 'turn.claimed', data: { turnId, runId, hostId: 'h', bootId, after: null } });
  const turn = await get(`/v1/turns/${turnId}?at=${at}`);
  expect(turn).toMatchObject({ status: 200, body: { turnId, status: 'running', sessionRef }, headers: { 'x-doorledger-position': at } });
  expect(await get(`/v1/sessions?at=${at}`)).toMatchObject({ status: 200, body: { items: [{ sessionRef, turns: 1 }] } });
});

it('P2 finds a timeline by the session’s reference and by its id', async () => {
  const at = await append({ type: 'turn.failed', data: { turnId, runId, errorName: 'Test', liveToolSessions: 0 } });
  for (const id of [sessionRef, 'my%20session'])
    expect(await get(`/v1/sessions/${id}/timeline?at=${at}`)).toMatchObject({
      status: 200,
      headers: { 'x-doorledger-position': at },
      body: { items: [{ type: 'turn.claimed' }, { type: 'turn.failed', verdict: 'stands' }] },
    });
  expect(await get('/v1/sessions/nobody/timeline')).toMatchObject({ status: 404, body: { code: 'ERR_NOT_FOUND' } });
  expect(await get('/v1/turns/nothing')).toMatchObject({ status: 404, body: { code: 'ERR_NOT_FOUND' } });
});

it('P3 is 503 ERR_LEDGER_BEHIND when the position is not read in time', async () => {
  expect(await get(`/v1/ingress?at=${topics.session.name}:0:999999`)).toMatchObject({ status: 503, body: { code: 'ERR_LEDGER_BEHIND' } });
});

it.each([
  ['/v1/sessions?limt=1', 'Known are: find, limit, cursor, at.'],
  ['/v1/turns/x?limit=1', 'Known are: at.'],
  ['/v1/log?at=1', 'takes none'],
  ['/v1/ingress?limit=0', 'from 1 to 100'],
  ['/v1/ingress?limit=101', 'from 1 to 100'],
  ['/v1/ingress?limit=1&limit=2', 'once'],
  ['/v1/ingress?cursor=x', 'cursor'],
  ['/v1/consents?session=%ff', 'UTF-8'],
  ['/v1/sessions?at=5', 'topic:partition:offset'],
  ['/v1/sessions?at=doorledger.consent.v1:0:0', 'topic:partition:offset'],
  ['/v1/sessions?at=doorledger.session.v1:999:0', 'partition'],
])('P7 refuses %s and says what is known', async (url, word) => {
  expect(await get(url)).toMatchObject({ status: 400, body: { code: 'ERR_INVALID_QUERY', error: expect.stringContaining(word) } });
});

it('P1 and I1 say where nobody’s identity is checked that it is open, with no way to sign in', async () => {
  expect(await get('/v1/me')).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  expect((await get('/v1/me')).body).toEqual({ open: true, signedIn: false, roles: [] });
  expect((await app.inject({ url: '/auth/sign-in' })).statusCode).toBe(404);
});

it('P2 shows where the ledger stands against the log', async () => {
  const { status, body } = await get('/v1/log');
  expect(status).toBe(200);
  expect(body).toMatchObject({ generation: 1, quarantined: 0, problems: [], lag: 0 });
  const names = (body.topics as { topic: string }[]).map(({ topic }) => topic);
  expect(names).toContain(topics.private.name);
  expect(names).not.toContain(topics.consent.name);
});

it('X4 takes a rebuilt generation into use under running readers and writers, with what came after it was built', async () => {
  const { rebuilt, isEqual } = await replay({ log, generations: new LedgerGenerations(dir) });
  expect(isEqual).toBe(true);
  const next = { turnId: '00000000-0000-4000-8000-000000000009', runId: '00000000-0000-4000-8000-000000000008' };
  const at = await append({ type: 'turn.claimed', data: { ...next, hostId: 'h', bootId, after: runId } });
  expect(await get(`/v1/turns/${next.turnId}?at=${at}`)).toMatchObject({ status: 200 });
  const asked = Array.from({ length: 20 }, () => get(`/v1/turns/${next.turnId}`));
  await projection.switchTo(rebuilt.generation);
  for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ status: 200, body: { status: 'running' } });
  const end = await append({ type: 'turn.failed', data: { ...next, errorName: 'Test', liveToolSessions: 0 } });
  expect(await get(`/v1/turns/${next.turnId}?at=${end}`)).toMatchObject({ status: 200, body: { status: 'failed' } });
  expect((await get('/v1/log')).body).toMatchObject({ generation: 2, lag: 0, digest: { generation: 2, sha256: rebuilt.sha256 } });
  await expect(projection.switchTo(7)).rejects.toMatchObject({ code: 'ERR_LEDGER_MISSING' });
  expect(await replay({ log, generations: new LedgerGenerations(dir) })).toMatchObject({ isEqual: true });
});
