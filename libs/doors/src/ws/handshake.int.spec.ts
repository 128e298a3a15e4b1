import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mintSessionId } from '../ownership/minted-id.js';
import { failure } from '../wire/terminal.js';
import { ann, bob, doorInProcess, verifierOf, type DoorInProcess, type DoorParts } from './testing/door-in-process.js';
import { Peer, exchange, handshake, rawFrame, refusal, rest } from './testing/peer.js';

let doors: DoorInProcess;
const open = async (parts: DoorParts = {}) => (doors = await doorInProcess(parts));
afterEach(() => doors.stop());

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const verifier = verifierOf({ 'of-ann': { principal: ann }, 'of-bob': { principal: bob } });
const owned = (by: typeof ann) => ({ owner: doors.references.userRef(by), lastRunId: 'run', isClosed: false });
const status = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

it('C1 takes version 13 of WebSocket with a key, and answers 400 to anything else', async () => {
  const { port, counts, entries } = await open();
  const good = handshake(port);
  for (const [what, bad] of Object.entries({
    'another protocol': good.replace('Upgrade: websocket', 'Upgrade: h2c'),
    'an old version': good.replace('Version: 13', 'Version: 8'),
    'no version': good.replace('Sec-WebSocket-Version: 13\r\n', ''),
    'a short key': good.replace('AQIDBAUGBwgJCgsMDQ4PEA==', 'AQID'),
    'no key': good.replace(/Sec-WebSocket-Key: .*\r\n/, ''),
    'a protocol twice': handshake(port, 'Sec-WebSocket-Protocol: a, a'),
    'a protocol that is no name': handshake(port, 'Sec-WebSocket-Protocol: a,'),
  })) {
    const answer = await exchange(port, bad);
    expect([what, status(answer), answer.includes('content-type: application/json')]).toEqual([what, 400, true]);
    if (what === 'an old version') expect(answer).toContain('sec-websocket-version: 13\r\n');
  }
  expect(counts).toEqual([]);
  expect(entries).toHaveLength(7);
  const peer = await Peer.open(doors.url);
  expect([peer.socket.protocol, peer.socket.extensions, counts]).toEqual(['', '', ['accepted-upgrade']]);
});

it('C1 takes the session from the header, then the cookie, then the query; D12 bounds it', async () => {
  await open({ cookie: { name: 'room', secure: false } });
  const minted = mintSessionId(doors.references);
  const ways = { header: { 'x-session-id': 'by-header' }, cookie: { cookie: `room=${minted}` } };
  const sessionOf = async (headers: Record<string, string>, path?: string) => {
    const peer = await Peer.open(doors.url, { headers }, path);
    peer.say({ id: 1, input: 'x' });
    await peer.terminal(1);
    return doors.entries.at(-1)!.sessionRef;
  };
  const refOf = (id: string) => doors.references.sessionRef(undefined, id);
  expect(await sessionOf({ ...ways.header, ...ways.cookie }, '/conversation?sessionId=by-query')).toBe(refOf('by-header'));
  expect(await sessionOf(ways.cookie, '/conversation?sessionId=by-query')).toBe(refOf(minted));
  expect(await sessionOf({}, '/conversation?a=b&sessionId=by%2Fquery')).toBe(refOf('by/query'));
  expect(await sessionOf({})).toBeUndefined();
  doors.entries.length = 0;
  for (const id of ['', 'a%20b', 'a'.repeat(401)])
    expect(await refusal(doors.url, {}, `/conversation?sessionId=${id}`)).toMatchObject({
      status: 400,
      body: { code: 'ERR_INVALID_SESSION_ID' },
    });
  expect(doors.entries.map(({ door, outcome, sessionRef }) => [door, outcome, sessionRef])).toEqual(
    Array.from({ length: 3 }, () => ['conversation', 'refused', undefined]),
  );
});

it('C4, E9 and O2 judge who asks before the 101: one record at the conversation door for a refusal, a count for who is let in', async () => {
  await open({ verifier });
  doors.sessions.set(doors.references.sessionRef(undefined, 'of-ann'), owned(ann));
  expect(await refusal(doors.url)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer', connection: 'close' },
    body: { code: 'ERR_IDENTITY_NOT_VERIFIED' },
  });
  expect(await refusal(doors.url, bearer('forged'))).toMatchObject({ status: 401 });
  expect(await refusal(doors.url, bearer('of-bob'), '/conversation?sessionId=of-ann')).toMatchObject({
    status: 404,
    body: { code: 'ERR_SESSION_NOT_FOUND' },
  });
  const recorded = doors.entries.map(({ door, outcome, identityFailure, bearerPresent, userRef }) => [
    door,
    outcome,
    identityFailure,
    bearerPresent,
    userRef,
  ]);
  expect(recorded).toEqual([
    ['conversation', 'identity-refused', 'no-token', false, undefined],
    ['conversation', 'identity-refused', 'unverifiable', true, undefined],
    ['conversation', 'session-refused', undefined, true, doors.references.userRef(bob)],
  ]);
  expect(doors.counts).toEqual([]);
  await Peer.open(doors.url, bearer('of-ann'), '/conversation?sessionId=of-ann');
  expect([doors.counts, doors.entries.length]).toEqual([['accepted-upgrade'], 3]);
});

it('I2 takes the bearer of a subprotocol, and selects doorledger.v1 and never the token', async () => {
  await open({ verifier });
  const token = `doorledger.bearer.${Buffer.from('of-ann').toString('base64url')}`;
  const peer = await Peer.open(doors.url, {}, '/conversation', ['doorledger.v1', token]);
  expect(peer.socket.protocol).toBe('doorledger.v1');
  expect(await exchange(doors.port, handshake(doors.port, `Sec-WebSocket-Protocol: ${token}`))).toMatch(/^HTTP\/1\.1 401 /);
});

it('G1, G4 and E3 judge Host and Origin of an upgrade before anything else of it', async () => {
  const { port } = await open({ verifier });
  const foreign = handshake(port, 'Origin: https://evil.example').replace('Version: 13', 'Version: 8');
  expect(await exchange(port, foreign)).toMatch(/^HTTP\/1\.1 403 [^]*ERR_ORIGIN_NOT_ALLOWED/);
  expect(await exchange(port, handshake(port).replace('Host: localhost', 'Host: rebound.example'))).toMatch(/^HTTP\/1\.1 421 /);
  expect(doors.entries.map(({ at: _at, durationMs: _ms, ...rest }) => rest)).toEqual([
    { door: 'conversation', outcome: 'cross-site-refused', errorCode: 'ERR_ORIGIN_NOT_ALLOWED', bearerPresent: false },
    { door: 'conversation', outcome: 'cross-site-refused', errorCode: 'ERR_HOST_NOT_ALLOWED', bearerPresent: false },
  ]);
});

it('D5 and E4 count a handshake that a closing host refuses, also one that was being judged when it began to close', async () => {
  let judge!: () => void;
  const asked = new Promise<void>((resolve) => (judge = resolve));
  await open({ verifier: { verify: async () => (await asked, { principal: ann }) } });
  const late = refusal(doors.url, bearer('any'));
  await once(doors.server, 'upgrade');
  doors.closing.reason = failure('ERR_HOST_CLOSED', 'closing');
  expect(await refusal(doors.url)).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { code: 'ERR_HOST_CLOSED' } });
  judge();
  expect(await late).toMatchObject({ status: 503, body: { code: 'ERR_HOST_CLOSED' } });
  expect([doors.counts, doors.entries]).toEqual([['closing', 'closing'], []]);
});

it('K15 refuses a handshake with 503 while there is no log to know anything by', async () => {
  await open({
    cookie: { name: 'room', secure: false },
    references: () => {
      throw new Error('not open yet');
    },
  });
  doors.closing.reason = failure('ERR_LOG_UNAVAILABLE', 'starting');
  expect(await refusal(doors.url, { headers: { cookie: 'room=x' } })).toMatchObject({ status: 503 });
  expect(doors.faults).toEqual([]);
});

it('C2 reads nothing of a peer before it knows who that is, and then answers what was said too early', async () => {
  let judge!: () => void;
  const asked = new Promise<void>((resolve) => (judge = resolve));
  await open({ verifier: { verify: async () => (await asked, { principal: ann }) } });
  const flood = rawFrame(1, Buffer.from(JSON.stringify({ input: 'a'.repeat(900_000) })));
  const client = connect(doors.port, '127.0.0.1');
  const upgraded = once(doors.server, 'upgrade');
  client.write(handshake(doors.port, 'Authorization: Bearer any'));
  for (let i = 0; i < 16; i++) client.write(flood);
  const [, socket] = (await upgraded) as [unknown, Socket];
  while (socket.readableLength === 0) await new Promise(setImmediate);
  for (let i = 0; i < 1000; i++) await new Promise(setImmediate);
  expect(socket.bytesRead).toBeLessThan(256 * 1024);
  const ended = rest(client);
  judge();
  client.write(rawFrame(8, Buffer.from([0x03, 0xe8])));
  expect(status(await ended)).toBe(101);
  expect(doors.entries).toContainEqual(expect.objectContaining({ door: 'turn', outcome: 'served' }));
});

it('E9 records a handshake whose caller hung up while it was judged', async () => {
  const judged = new Promise<void>((resolve) => {
    void open({
      verifier: {
        verify: (_token, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('gone')));
            resolve();
          }),
      },
    }).then(({ port }) => {
      const client = connect(port, '127.0.0.1', () => client.write(handshake(port, 'Authorization: Bearer any')));
      void judged.then(() => client.resetAndDestroy());
    });
  });
  await judged;
  while (doors.entries.length === 0) await new Promise(setImmediate);
  expect(doors.entries).toMatchObject([{ door: 'conversation', outcome: 'verifier-unavailable' }]);
  expect([doors.counts, doors.faults]).toEqual([[], []]);
});

it('D3 and D4 serve a request that asks for any other protocol, or elsewhere, as if it had not asked', async () => {
  const { port } = await open();
  const body = JSON.stringify({ input: 'zwölf' });
  const post = [
    'POST /invoke HTTP/1.1',
    `Host: localhost:${port}`,
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABk',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    '',
  ].join('\r\n');
  const next = `GET /ping HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
  const split = connect(port, '127.0.0.1', () => split.write(post));
  await once(doors.server, 'upgrade');
  split.write(body + next);
  const answers = await rest(split);
  expect(answers).toMatch(/^HTTP\/1\.1 200 [^]*"output":"zw/);
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  expect(await exchange(port, post + body + next)).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 /);
  for (const head of ['GET /elsewhere', 'POST /conversation'])
    expect(status(await exchange(port, handshake(port, 'Connection: close').replace('GET /conversation', head)))).toBe(404);
});
