import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import type { Verifier } from '@doorledger/access';
import { ledgerApi, type LedgerApi } from '../testing/ledger-api.js';

const [turnId, runId, bootId] = ['1', '2', '3'].map((d) => `00000000-0000-4000-8000-00000000000${d}`) as [string, string, string];
const refOf = (subject: string) => Buffer.from(subject).toString('hex').padEnd(32, '0').slice(0, 32);
const origin = { source: '/doorledger/test/h', now: Date.now };
/** Tokens name a role, or what is wrong with them. */
const verifier: Verifier = {
  verify: async (token) => {
    if (token === 'bad') throw new Error('no');
    return {
      principal: { issuer: 'i', subject: token, roles: [token.split('-')[0]!] },
      ...(token === 'auditor-ends' && { expiresAt: Date.now() + 300 }),
    };
  },
};

let api: LedgerApi;
let url: string;
const open = new Set<ClientRequest>();
async function start(by?: Verifier): Promise<void> {
  api = await ledgerApi({ userRef: ({ subject }: { subject: string }) => refOf(subject) }, by);
  await api.app.listen(0, '127.0.0.1');
  url = await api.app.getUrl();
}
afterEach(async () => {
  for (const request of open) request.destroy();
  open.clear();
  await api.close();
});

const claim = (key: string): Promise<unknown> =>
  append(topics.session.name, key, { type: 'turn.claimed', data: { turnId, runId, hostId: key, bootId, after: null } });
const append = (topic: string, key: string, fact: Fact) => api.log.append(topic, [{ key, ...encode(eventOf(fact, origin)) }]);

interface Frame {
  readonly id?: string;
  readonly data?: {
    readonly topic: string;
    readonly offset: number;
    readonly event: { readonly type: string; readonly data: { hostId?: string } };
  };
}
interface Stream {
  readonly response: IncomingMessage;
  /** Facts so far, in the order they came. */
  readonly facts: Frame[];
  /** The last id of any frame. */
  lastId(): string | undefined;
  /** Resolves when so many facts have come. */
  has(count: number): Promise<void>;
  readonly ended: Promise<void>;
}

async function stream(query = '', headers: Record<string, string> = {}): Promise<Stream> {
  const request = get(`${url}/v1/stream${query}`, { headers });
  open.add(request);
  request.on('error', () => {});
  const response = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  const facts: Frame[] = [];
  let lastId: string | undefined;
  let rest = '';
  let told = () => {};
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      lastId = field('id') ?? lastId;
      const data = field('data');
      if (data) facts.push({ id: lastId, data: JSON.parse(data) as Frame['data'] });
    }
    told();
  });
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  const has = async (count: number) => {
    while (facts.length < count) await new Promise<void>((resolve) => (told = resolve));
  };
  return { response, facts, lastId: () => lastId, has, ended };
}
const hostsOf = ({ facts }: Stream) => facts.map(({ data }) => data!.event.data.hostId);

describe('to readers who may see everything', () => {
  beforeEach(() => start());

  it('P2 streams public facts as they come, and never a private one', async () => {
    const reading = await stream();
    expect(reading.response.headers['content-type']).toBe('text/event-stream');
    await claim('one');
    const content = { keyId: 'k', nonce: 'AAAA', ciphertext: 'AAAA' };
    await api.log.append(topics.private.name, [{ key: 'one', value: Buffer.from(JSON.stringify({ data: content })), headers: {} }]);
    await claim('two');
    await reading.has(2);
    expect(reading.facts.map(({ data }) => [data!.topic, data!.event.type])).toEqual([
      [topics.session.name, 'turn.claimed'],
      [topics.session.name, 'turn.claimed'],
    ]);
  });

  it('P2 goes on after the last id that a reader had, with every fact once, also with what came meanwhile and while it catches up', async () => {
    const first = await stream('?from=start');
    for (let i = 0; i < 20; i++) await claim(`a${i}`);
    await first.has(20);
    const half = first.facts[9]!.id!;
    first.response.destroy();
    await claim('meanwhile');
    const going = Array.from({ length: 20 }, (_, i) => claim(`b${i}`));
    const second = await stream('', { 'last-event-id': half });
    await Promise.all(going);
    await claim('last');
    await second.has(32);
    const all = [...hostsOf(first).slice(0, 10), ...hostsOf(second)];
    expect(new Set(all).size).toBe(42);
    expect(all).toHaveLength(42);
  });

  it('P2 gives the facts of the types that are asked for, and goes on after the others too', async () => {
    const reading = await stream('?type=tool-session.*,turn.failed');
    await claim('x');
    await append(topics.session.name, 'x', { type: 'turn.failed', data: { turnId, runId, errorName: 'Test', liveToolSessions: 0 } });
    await reading.has(1);
    expect(reading.facts.map(({ data }) => data!.event.type)).toEqual(['turn.failed']);
  });

  it.each([
    ['?type=turn.clamed', 'type is a list'],
    ['?from=7', 'from is start or end'],
    ['?topic=x', 'Known are: type, from.'],
  ])('P7 refuses %s', async (query, sentence) => {
    const response = await fetch(`${url}/v1/stream${query}`);
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 'ERR_INVALID_QUERY', error: expect.stringContaining(sentence) as string },
    ]);
  });

  it('P2 refuses an id that is none of this log', async () => {
    for (const id of ['nonsense', 'AQEF']) expect((await fetch(`${url}/v1/stream`, { headers: { 'last-event-id': id } })).status).toBe(400);
  });

  it('P2 refuses one stream more than it has room for, and has room again when one ends', async () => {
    const streams = await Promise.all(Array.from({ length: 64 }, () => stream()));
    const response = await fetch(`${url}/v1/stream`);
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'ERR_STREAM_FULL' }]);
    streams[0]!.response.destroy();
    let status = 503;
    while (status === 503) {
      await sleep(5);
      status = (await stream()).response.statusCode!;
    }
    expect(status).toBe(200);
  });

  it('R2 ends streams when the process closes', async () => {
    const reading = await stream();
    await api.app.getHttpAdapter().close();
    await reading.ended;
  });
});

describe('where callers prove who they are', () => {
  beforeEach(() => start(verifier));
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  it('P1 streams to auditors and operators only', async () => {
    expect((await stream('', as('auditor'))).response.statusCode).toBe(200);
    expect((await stream('', as('operator'))).response.statusCode).toBe(200);
    expect((await stream('', as('user'))).response.statusCode).toBe(403);
    expect((await stream('', as('bad'))).response.statusCode).toBe(401);
    expect((await stream()).response.statusCode).toBe(401);
  });

  it('P1 ends a stream with its reader’s credential', async () => {
    const reading = await stream('', as('auditor-ends'));
    await reading.ended;
    expect(reading.response.complete).toBe(true);
  });

  it('P1 ends a stream when its reader’s sign-in is revoked, and nobody else’s', async () => {
    const [theirs, other] = [await stream('', as('auditor-a')), await stream('', as('auditor-b'))];
    await append(topics.system.name, 'user/x', { type: 'identity.revoked', data: { userRef: refOf('auditor-a'), by: refOf('operator') } });
    await theirs.ended;
    expect(theirs.facts.map(({ data }) => data!.event.type)).toEqual(['identity.revoked']);
    await claim('still');
    await other.has(2);
  });
});
