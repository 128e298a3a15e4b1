import { connect } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, type Served } from '../faults/served-process.js';
import { framesOf } from '../faults/event-frames.js';

jest.setTimeout(120_000);
let dir: string;
let served: Served;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-door-'));
  served = await serve(dir, { DOORLEDGER_DOOR_COOKIE: 'true', DOORLEDGER_DOOR_COOKIE_NAME: 'room' });
});
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

const json = { 'content-type': 'application/json' };
const invoke = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${served.url}/invoke`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${served.url}${path}`, { headers });

const events = { accept: 'text/event-stream' };

it('D23 and D25 answer over an event stream: progress, pieces, and one terminal frame whose output is the whole answer', async () => {
  const response = await invoke({ input: 'zwölf € 🐙', sessionId: 'streamed' }, events);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': expect.stringContaining('no-cache') as string,
    'x-accel-buffering': 'no',
  });
  const frames = framesOf(await response.text());
  expect(frames.map(({ event, data }) => [event, data])).toEqual([
    ['progress', { step: 1 }],
    ['chunk', { text: 'zwölf € 🐙' }],
    ['complete', { output: 'zwölf € 🐙' }],
  ]);
  const [turnId] = frames[0]!.id!.split(':');
  expect(frames.map(({ id }) => id)).toEqual([1, 2, 3].map((n) => `${turnId}:${n}`));
  const again = framesOf(await (await get(`/v1/turns/${turnId}`, { ...events, 'last-event-id': `${turnId}:1` })).text());
  expect(again.map(({ event, id }) => [event, id])).toEqual([
    ['chunk', `${turnId}:2`],
    ['complete', `${turnId}:3`],
  ]);
});

it('D23 gives what is refused before the stream its own status, and what is refused after it an error frame', async () => {
  expect((await invoke({ op: 'nothing' }, events)).status).toBe(400);
  const late = await invoke({ input: '', sessionId: 'streamed' }, events);
  expect(late.status).toBe(200);
  expect(framesOf(await late.text())).toMatchObject([{ event: 'error', data: { code: 'ERR_INVALID_RUN_INPUT' } }]);
});

it('D19 tells a turn’s state and output by its id; D23 gives one terminal frame when the pieces are gone', async () => {
  const answer = await invoke({ input: 'kept', sessionId: 'asked-again' });
  const turnId = answer.headers.get('x-turn-id')!;
  let body: { status?: string; output?: string } = {};
  while (body.output === undefined) body = (await (await get(`/v1/turns/${turnId}`)).json()) as typeof body;
  expect(body).toMatchObject({ turnId, status: 'completed', output: 'kept' });
  const frames = framesOf(await (await get(`/v1/turns/${turnId}`, events)).text());
  expect(frames).toEqual([{ event: 'complete', id: undefined, data: { output: 'kept' } }]);
  expect((await get('/v1/turns/00000000-0000-7000-8000-000000000000')).status).toBe(404);
});

it('D18 answers a retry under the same idempotency key by the first turn, and refuses another body', async () => {
  const key = { 'idempotency-key': 'once' };
  const first = await invoke({ input: 'pay', sessionId: 'keyed' }, key);
  const again = await invoke({ input: 'pay', sessionId: 'keyed' }, key);
  expect([again.status, await again.json()]).toEqual([200, { output: 'pay' }]);
  expect(again.headers.get('x-turn-id')).toBe(first.headers.get('x-turn-id'));
  const other = await invoke({ input: 'pay more', sessionId: 'keyed' }, key);
  expect([other.status, await other.json()]).toMatchObject([422, { code: 'ERR_IDEMPOTENCY_KEY_REUSED' }]);
  const elsewhere = await invoke({ input: 'pay more', sessionId: 'keyed-2' }, key);
  expect(elsewhere.status).toBe(200);
  expect(elsewhere.headers.get('x-turn-id')).not.toBe(first.headers.get('x-turn-id'));
});

it('D18 runs one turn for many retries at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => invoke({ input: 'x', sessionId: 'raced' }, { 'idempotency-key': 'k' })),
  );
  const served200 = answers.filter(({ status }) => status === 200);
  expect(served200.length).toBeGreaterThan(0);
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect(new Set(served200.map(({ headers }) => headers.get('x-turn-id')))).toHaveProperty('size', 1);
  const timeline = (await (await get('/v1/sessions/raced/timeline?limit=100')).json()) as { items: { type: string; verdict: string }[] };
  expect(timeline.items.filter(({ type, verdict }) => type === 'turn.claimed' && verdict === 'stands')).toHaveLength(1);
});

it('D18 wants an idempotency key of visible characters, and something to scope it to', async () => {
  for (const key of [' ', 'a'.repeat(256), 'a b']) {
    const answer = await invoke({ input: 'x', sessionId: 's' }, { 'idempotency-key': key });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'ERR_INVALID_RUN_INPUT' }]);
  }
});

it('D13 mints a session for a message without one, and goes on in it by the cookie; a forged one counts as absent', async () => {
  const first = await invoke({ input: 'one' });
  const cookie = first.headers.get('set-cookie')!;
  expect(cookie).toMatch(/^room=[0-9a-f-]{36}\.[0-9a-f]{16}; Path=\/; HttpOnly; SameSite=Lax$/);
  const pair = cookie.split(';')[0]!;
  const second = await invoke({ input: 'two' }, { cookie: pair });
  expect(second.headers.get('set-cookie')).toBeNull();
  const id = pair.slice('room='.length);
  const at = second.headers.get('x-doorledger-position');
  const timeline = (await (await get(`/v1/sessions/${id}/timeline?at=${at}`)).json()) as { items: unknown[] };
  expect(timeline.items).toHaveLength(6);
  const forged = await invoke({ input: 'x' }, { cookie: `${pair.slice(0, -1)}${pair.endsWith('0') ? '1' : '0'}` });
  expect(forged.headers.get('set-cookie')).toMatch(/^room=/);
  expect((await invoke({ input: 'x', sessionId: 'brought' })).headers.get('set-cookie')).toBeNull();
  expect((await invoke({ input: '' }, events)).headers.get('set-cookie')).toMatch(/^room=/);
});

it('P5 and O1 mint a session id over the API, and close a session for good', async () => {
  const minted = await fetch(`${served.url}/v1/sessions`, { method: 'POST', headers: json, body: '{}' });
  const { sessionId } = (await minted.json()) as { sessionId: string };
  expect([minted.status, sessionId]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}\.[0-9a-f]{16}$/)]);
  expect((await invoke({ input: 'x', sessionId })).status).toBe(200);
  const close = () => fetch(`${served.url}/v1/sessions/${sessionId}/close`, { method: 'POST', headers: json, body: '{}' });
  expect((await close()).status).toBe(200);
  expect((await close()).status).toBe(404);
  const after = await invoke({ input: 'x', sessionId });
  expect([after.status, await after.json()]).toMatchObject([404, { code: 'ERR_SESSION_NOT_FOUND' }]);
});

it('I1 serves no session op at a door without a verifier; D15 names artifacts that are not there as such', async () => {
  for (const op of ['session-list', 'session-transcript', 'session-pending', 'session-close']) {
    const answer = await invoke({ op, sessionId: 'streamed' });
    expect([answer.status, await answer.json()]).toMatchObject([501, { code: 'ERR_SESSION_OP_NEEDS_IDENTITY' }]);
  }
  const artifact = (body: object) => invoke({ op: 'artifact-get', ref: 'r', ...body });
  expect((await artifact({})).status).toBe(400);
  expect(await (await artifact({ sessionId: 'streamed' })).json()).toMatchObject({ code: 'ERR_ARTIFACT_NOT_FOUND' });
});

/** Sends a request as bytes, and more when told; what came back until the server ended the connection. */
function exchange(head: string, body = ''): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(served.url).port), '127.0.0.1', () => socket.write(`${head}\r\n\r\n${body}`));
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

it('G1 and G3 refuse before the body: a foreign host, a foreign page, a form; and never ask for a body that they will not read', async () => {
  const head = (...lines: string[]) => ['POST /invoke HTTP/1.1', 'Connection: close', ...lines].join('\r\n');
  const type = 'Content-Type: application/json';
  const cases: [string, string][] = [
    [head('Host: evil.example', type, 'Content-Length: 2'), '421'],
    [head('Host: localhost', 'Origin: https://evil.example', type, 'Content-Length: 2'), '403'],
    [head('Host: localhost', 'Sec-Fetch-Site: cross-site', type, 'Content-Length: 2'), '403'],
    [head('Host: localhost', 'Content-Type: text/plain', 'Content-Length: 2'), '415'],
  ];
  for (const [request, status] of cases) expect((await exchange(request, '{}')).split(' ')[1]).toBe(status);
  const expecting = await exchange(head('Host: localhost', 'Content-Type: text/plain', 'Content-Length: 2', 'Expect: 100-continue'));
  expect(expecting.startsWith('HTTP/1.1 415')).toBe(true);
  const endless = head('Host: localhost', 'Content-Type: text/plain', 'Content-Length: 999999999').replace('Connection: close\r\n', '');
  expect((await exchange(endless, 'x')).toLowerCase()).toContain('connection: close');
});

it('G9 answers a preflight as the POST would be', async () => {
  const preflight = (origin: string) =>
    fetch(`${served.url}/invoke`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
  expect((await preflight('https://evil.example')).status).toBe(403);
  const own = await preflight(served.url);
  expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([204, served.url]);
});
