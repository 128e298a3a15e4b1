import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Peer } from '../../libs/doors/src/ws/testing/peer.js';
import { ToolDesk } from '../e2e/consent/tool-desk.js';
import { type Cluster, startCluster } from './cluster.mjs';

const isThere = existsSync('.cache/kafka') || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: the cluster needs Kafka. Run "node scripts/setup.mjs kafka" first.');

const LIMIT = 150;

let cluster: Cluster;
let desk: ToolDesk;
/** Turns and decisions that the shared count has admitted. */
let admitted = 0;

interface Said {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

const urlOf = (host: number) => cluster.hosts[host]!.url;
const pay = (note: string, server = 'desk') => `/call ${server}.pay ${JSON.stringify({ note })}`;

async function post(host: number, body: object, path = '/invoke'): Promise<Said> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(urlOf(host) + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status === 200 || response.status === 202) admitted++;
  return { status: response.status, headers: response.headers, body: (await response.json()) as Said['body'] };
}

async function ledger(path: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(cluster.projectors[0]!.url + path);
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: Record<string, unknown>[] }).items;
}

/** What the ledger says once it is so. */
async function once<T>(look: () => Promise<T>, is: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (is(seen)) return seen;
    await sleep(50);
  }
}

const live = () => ledger('/v1/tool-sessions?state=live');

/** Has a host open a tool session for a session that is new, and waits until everybody has read of it. */
async function holding(host: number, sessionId: string): Promise<void> {
  const before = (await live()).length;
  expect(await post(host, { sessionId, input: pay(sessionId) })).toMatchObject({ status: 200, body: { output: `paid ${sessionId}` } });
  await once(live, ({ length }) => length > before);
}

/** The hosts whose claims of this session stood, in order, once there are so many. */
async function runsOf(session: string, count: number): Promise<unknown[]> {
  const claims = async () =>
    (await ledger(`/v1/sessions/${session}/timeline?limit=100`)).filter(
      ({ type, verdict }) => type === 'turn.claimed' && verdict === 'stands',
    );
  const all = await once(
    () => claims().catch(() => []),
    ({ length }) => length >= count,
  );
  return all.map(({ data }) => (data as { hostId: string }).hostId);
}

const frameIds = (text: string) => [...text.matchAll(/^id: \S+:(\d+)$/gm)].map(([, n]) => Number(n));

(isThere ? describe : describe.skip)('three hosts that know each other, on Kafka and PostgreSQL', () => {
  jest.setTimeout(240_000);
  beforeAll(async () => {
    desk = await ToolDesk.start();
    const server = { url: desk.url, scope: 'session' };
    cluster = await startCluster({
      ...{ brokers: 1, projectors: 1, peers: true },
      settings: {
        DOORLEDGER_ADMISSION_TURNS_PER_HOUR: String(LIMIT),
        DOORLEDGER_ADMISSION_WHEN_STORE_DOWN: 'refuse',
        DOORLEDGER_TOOLS_SERVERS: JSON.stringify([
          { name: 'desk', ...server },
          { name: 'asked', ...server, tools: { pay: { gate: { kind: 'checkIn' } } } },
        ]),
      },
    });
  });
  afterAll(async () => {
    desk?.release();
    await cluster?.stop();
    await desk?.stop();
  });

  it('L6 runs a session’s turns where its tool session lives, whichever host they come to: one tool session, one host', async () => {
    await holding(0, 'one');
    for (const host of [1, 2, 1]) {
      const { status, body } = await post(host, { sessionId: 'one', input: pay(`one-${host}`) });
      expect([status, body]).toEqual([200, { output: `paid one-${host}` }]);
    }
    expect(await runsOf('one', 4)).toEqual(Array.from({ length: 4 }, () => 'host-1'));
    const sessions = await once(live, ([first]) => first?.calls === 4);
    expect(sessions.map(({ hostId, calls }) => [hostId, calls])).toEqual([['host-1', 4]]);
  });

  it('L6 and E1: the edge files the one record of a forwarded request', async () => {
    const { headers } = await post(1, { sessionId: 'one', input: 'hello' });
    const turnId = headers.get('x-turn-id');
    const of = (items: Record<string, unknown>[]) => items.filter((item) => item.turnId === turnId);
    const filed = of(
      await once(
        () => ledger('/v1/ingress?limit=100'),
        (items) => of(items).length > 0,
      ),
    );
    expect(filed.map(({ hostId, outcome }) => [hostId, outcome])).toEqual([['host-2', 'served']]);
  });

  it('L6 goes on with a decision there too', async () => {
    await holding(2, 'two');
    const asked = await post(1, { sessionId: 'two', input: pay('two asked', 'asked') });
    expect(asked.status).toBe(202);
    const { requestId } = asked.body.awaiting as { requestId: string };
    await runsOf('two', 2);
    const decided = await post(0, { sessionId: 'two', decision: { requestId, approved: true } });
    expect([decided.status, decided.body]).toEqual([200, { output: 'paid two asked' }]);
    expect([desk.times('two asked'), await runsOf('two', 3)]).toEqual([1, ['host-3', 'host-3', 'host-3']]);
  });

  it('L6 and C3 streams a conversation’s turn through the host it was begun at', async () => {
    const peer = await Peer.open(urlOf(2).replace('http://', ''), {}, '/conversation?sessionId=one');
    peer.say({ id: 1, input: pay('said') });
    expect(await peer.terminal(1)).toMatchObject({ event: 'complete', data: { output: 'paid said' } });
    admitted++;
    expect(peer.frames.map(({ event, data }) => [event, data.state ?? data.step])).toContainEqual(['progress', 'called']);
    peer.socket.close();
    await peer.closed;
    expect((await runsOf('one', 6)).slice(5)).toEqual(['host-1']);
  });

  it('D23 resumes a stream at any host: the pieces come from the one that runs the turn, under the same numbers', async () => {
    desk.hold('tools/call');
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const body = JSON.stringify({ sessionId: 'one', input: pay('streamed') });
    const first = fetch(`${urlOf(1)}/invoke`, { method: 'POST', headers, body }).then((response) => response.text());
    await desk.holding('tools/call');
    const claimed = (items: Record<string, unknown>[]) => items.filter(({ type }) => type === 'turn.claimed');
    const [turn] = claimed(
      await once(
        () => ledger('/v1/sessions/one/timeline?limit=100'),
        (items) => claimed(items).length === 7,
      ),
    ).slice(-1);
    const { turnId } = turn!.data as { turnId: string };
    const from = { accept: 'text/event-stream', 'last-event-id': `${turnId}:1` };
    const response = await fetch(`${urlOf(2)}/v1/turns/${turnId}`, { headers: from });
    desk.release();
    const [whole, rest] = await Promise.all([first, response.text()]);
    admitted++;
    expect(whole).toContain('"output":"paid streamed"');
    expect(rest).toContain('"output":"paid streamed"');
    expect(frameIds(rest)).toEqual(frameIds(whole).slice(1));
  });

  it('L6 and T40 goes on elsewhere when the holder was killed, whose tool session is recorded as lost', async () => {
    expect((await post(0, { sessionId: 'lost', input: pay('first') })).status).toBe(200);
    await once(
      () => ledger('/v1/tool-sessions?state=live'),
      (items) => items.some(({ hostId }) => hostId === 'host-1'),
    );
    await cluster.kill('host-1');
    const { status, body } = await post(1, { sessionId: 'lost', input: pay('second') });
    expect([status, body]).toEqual([200, { output: 'paid second' }]);
    expect(await runsOf('lost', 2)).toEqual(['host-1', 'host-2']);
    cluster.start('host-1');
    await cluster.ready('host-1');
    const lost = await once(
      () => ledger('/v1/tool-sessions?reason=host-lost'),
      ({ length }) => length > 0,
    );
    expect(lost.map(({ hostId }) => hostId)).toContain('host-1');
  });

  it('A3 counts a person’s turns over all hosts together, a forwarded one once', async () => {
    const answers: Said[] = [];
    for (let n = 0; answers.every(({ status }) => status !== 429); n++)
      answers.push(...(await Promise.all([0, 1, 2].map((host) => post(host, { input: 'hello' })))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused[0]).toMatchObject({ body: { code: 'ERR_ADMISSION_REFUSED' } });
    expect(admitted).toBe(LIMIT);
    for (const host of [0, 1, 2]) expect((await post(host, { input: 'hello' })).status).toBe(429);
  });
});
