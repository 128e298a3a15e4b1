import { connect } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { runCli, serve, type Served } from '../faults/served-process.js';
import { filesOf } from './data-folder.js';

let dir: string;
let served: Served;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-e2e-'));
  served = await serve(dir, { DOORLEDGER_LOGGING_LEVEL: 'debug' });
}, 60_000);
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The fields that these tests look at. */
interface Answer {
  readonly items: readonly Record<string, unknown>[];
  readonly next?: string;
  readonly [name: string]: unknown;
}

const json = { 'content-type': 'application/json' };
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  fetch(`${served.url}/invoke`, { method: 'POST', headers, body });
const invoke = (body: object, headers?: Record<string, string>) => post(JSON.stringify(body), { ...json, ...headers });
const get = async (path: string) => {
  const response = await fetch(`${served.url}${path}`);
  return { status: response.status, body: (await response.json()) as Answer };
};

it('D1 and D21 answer a message with its turn’s output, and the turn stands on the log and in the ledger', async () => {
  const response = await invoke({ input: 'hello', sessionId: 'first' });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ output: 'hello' });
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const turnId = response.headers.get('x-turn-id')!;
  const at = response.headers.get('x-doorledger-position')!;
  const { body } = await get(`/v1/sessions/first/timeline?at=${at}`);
  expect(body.items.map(({ type, verdict }) => [type, verdict])).toEqual([
    ['turn.claimed', 'stands'],
    ['turn.stepped', 'stands'],
    ['turn.completed', 'stands'],
  ]);
  expect((await get(`/v1/turns/${turnId}`)).body).toMatchObject({ turnId, status: 'completed', steps: 1 });
  const sessions = await get('/v1/sessions');
  expect(sessions.body.items).toEqual([expect.objectContaining({ turns: 1 })]);
});

it('E1 and D5 file one record per request that the door decided, served or refused, and none for what never was one', async () => {
  const before = await get('/v1/ingress?limit=100');
  const known = before.body.items.length;
  await invoke({ input: 'x' });
  await invoke({ input: '' });
  await invoke({ input: 'x', sessionId: 'no spaces' });
  await invoke({ decision: { approved: true } });
  await post('{');
  await invoke({ op: 'nothing' });
  await fetch(`${served.url}/nowhere`);
  const last = await invoke({ input: 'last', sessionId: 's2' });
  let items: Answer['items'] = [];
  while (items.length < known + 5) ({ items } = (await get('/v1/ingress?limit=100')).body);
  expect(items).toHaveLength(known + 5);
  const fresh = items.slice(0, 5).sort((a, b) => Number(a.seq) - Number(b.seq));
  expect(fresh.map((r) => [r.door, r.outcome, r.errorCode])).toEqual([
    ['turn', 'served', undefined],
    ['turn', 'refused', 'ERR_INVALID_RUN_INPUT'],
    ['request', 'refused', 'ERR_INVALID_SESSION_ID'],
    ['turn', 'refused', 'ERR_NO_PENDING_ASK'],
    ['turn', 'served', undefined],
  ]);
  expect(fresh[4]!.turnId).toBe(last.headers.get('x-turn-id'));
  // The three that are counted have places of their own.
  expect(fresh[4]!.seq).toBe(Number(before.body.items[0]?.seq ?? 0) + 8);
});

it('D2 says that it is alive and ready', async () => {
  expect((await get('/health')).body).toMatchObject({ status: 'ok', uptimeMs: expect.any(Number) as number });
  expect(await get('/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

it('D3 and D4 answer everything unnamed, and a wrong method, with a 404 that names method and path and no code', async () => {
  for (const [method, path] of [
    ['GET', '/invoke'],
    ['PUT', '/invoke'],
    ['POST', '/health'],
    ['GET', '/conversation'],
    ['GET', '/%zz'],
    ['POST', '/'],
  ] as const) {
    const response = await fetch(`${served.url}${path}?token=canary`, { method });
    const body = (await response.json()) as { error: string };
    expect([response.status, Object.keys(body)]).toEqual([404, ['error']]);
    expect(body.error).toContain(`${method} ${path}`);
    expect(body.error).not.toContain('canary');
  }
});

it('D5 and D6 bound the body at 1 MiB and answer in JSON', async () => {
  const fits = JSON.stringify({ input: 'x'.repeat(1024 * 1024 - 12) });
  expect(fits).toHaveLength(1024 * 1024);
  const whole = await post(fits);
  expect(whole.status).toBe(200);
  expect(((await whole.json()) as { output: string }).output).toHaveLength(1024 * 1024 - 12);
  const over = await post(`${fits} `);
  expect([over.status, await over.json()]).toEqual([413, { error: 'The body is larger than 1 MiB.' }]);
});

it('D17 and D26 refuse what is not JSON and what names a key twice, without a code; D17 puts split characters together', async () => {
  for (const body of ['{', '{"input":"a","input":"b"}', new Uint8Array([0x22, 0xff, 0x22])]) {
    const response = await post(body);
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([400, ['error']]);
  }
  const bytes = Buffer.from(JSON.stringify({ input: 'zwölf € 🐙' }));
  const { port } = new URL(served.url);
  const answer = await new Promise<string>((resolve) => {
    const drip = async () => {
      socket.write(
        `POST /invoke HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`,
      );
      for (const byte of bytes) {
        socket.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
    };
    const socket = connect(Number(port), '127.0.0.1', () => void drip());
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk)).on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
  expect(answer).toContain('{"output":"zwölf € 🐙"}');
});

it('D11 and D12 take the session from the body or the header, bound it, and never echo it', async () => {
  const named = await invoke({ input: 'x' }, { 'x-session-id': 'by-header' });
  const { body } = await get(`/v1/sessions/by-header/timeline?at=${named.headers.get('x-doorledger-position')}`);
  expect(body.items).toHaveLength(3);
  const refused = await invoke({ input: 'x' }, { 'x-session-id': 'canary canary' });
  const text = await refused.text();
  expect([refused.status, JSON.parse(text)]).toMatchObject([400, { code: 'ERR_INVALID_SESSION_ID', reason: 'invalid-character' }]);
  expect(text).not.toContain('canary');
});

it('R1 serves one turn of a session at a time, and turns without a session never meet', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => invoke({ input: 'x', sessionId: 'busy' })));
  const statuses = answers.map((a) => a.status);
  expect(statuses.filter((s) => s === 200).length).toBeGreaterThan(0);
  expect(statuses.every((s) => s === 200 || s === 409)).toBe(true);
  const free = await Promise.all(Array.from({ length: 20 }, () => invoke({ input: 'x' })));
  expect(free.every((a) => a.status === 200)).toBe(true);
});

it('P2 lists sessions and requests in pages with a stable order; P7 names what it knows', async () => {
  for (let i = 0; i < 5; i++) await invoke({ input: 'x', sessionId: `page-${i}` });
  // No row comes any more while the pages are read.
  while (((await get('/v1/log')).body as unknown as { lag: number }).lag > 0) await sleep(20);
  const whole = (await get('/v1/sessions?limit=100')).body.items;
  const paged: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await get(`/v1/sessions?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
    paged.push(...body.items);
    cursor = body.cursor as string | undefined;
  } while (cursor);
  expect(paged.map((s) => s.sessionRef)).toEqual(whole.map((s) => s.sessionRef));
  expect(await get('/v1/sessions?colour=red')).toMatchObject({
    status: 400,
    body: { code: 'ERR_INVALID_QUERY', error: expect.stringContaining('limit') as string },
  });
});

it('P3 waits for one’s own write, and answers 503 by name when it does not come', async () => {
  const { body } = await get('/v1/sessions?at=doorledger.session.v1:0:999999');
  expect(body).toMatchObject({ code: 'ERR_LEDGER_BEHIND' });
});

it('X1 keeps what people said out of every file, log line and public answer; X0 replays to the same digest beside the running process', async () => {
  await invoke(
    { input: 'canary-message', sessionId: 'canary-session' },
    { authorization: 'Bearer canary-token', 'x-canary': 'canary-header' },
  );
  await invoke({ input: 7, canary: 'canary-field', sessionId: 'canary-session' });
  const { code, stdout } = await runCli(['replay', '--data', dir]);
  const result = JSON.parse(stdout) as { isEqual: boolean; live: { sha256: string }; rebuilt: { sha256: string; rows: number } };
  expect([code, result.isEqual]).toEqual([0, true]);
  expect(result.live.sha256).toBe(result.rebuilt.sha256);
  expect(result.rebuilt.rows).toBeGreaterThan(50);
  for (const path of filesOf(dir)) expect([path, readFileSync(path).includes('canary')]).toEqual([path, false]);
  expect(served.words()).not.toContain('canary');
  for (const path of ['/v1/ingress?limit=100', '/v1/sessions?limit=100', '/v1/log'])
    expect(JSON.stringify((await get(path)).body)).not.toContain('canary');
}, 60_000);

it('X4 and X0 take a replayed generation into use through the running process, while requests go on', async () => {
  const requests = Array.from({ length: 40 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * 50));
    const answer = await invoke({ input: 'meanwhile', sessionId: `meanwhile-${i}` });
    const read = await fetch(`${served.url}/v1/sessions`);
    return [answer.status, read.status];
  });
  const { code, stdout } = await runCli(['replay', '--switch', '--data', dir]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { isEqual: true, isSwitched: true }]);
  for (const statuses of await Promise.all(requests)) expect(statuses).toEqual([200, 200]);
  expect((await get('/v1/log')).body).toMatchObject({ generation: 2 });
  const stranger = await fetch(`${served.url}/v1/operator/switch`, { method: 'POST', headers: json, body: '{"generation":1}' });
  expect(stranger.status).toBe(401);
}, 60_000);

it('K14 refuses a second process on the same folder by name, and X4 reads beside the running one', async () => {
  const second = await runCli(['up', '--data', dir, '--port', '0']);
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/Another doorledger process writes to this data folder/);
  expect(second.stderr.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8'))).toMatchObject({ pid: served.pid });
  const tail = await runCli(['tail', '--no-follow', '--type', 'turn.completed', '--data', dir]);
  expect(tail.code).toBe(0);
  for (const line of tail.stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ event: { type: 'turn.completed' } });
});

it('R2 ends by one SIGTERM with streams and kept-alive connections open, exit 0, and starts again where it was', async () => {
  const idle = connect(Number(new URL(served.url).port), '127.0.0.1');
  await new Promise((resolve) => idle.once('connect', resolve));
  idle.on('error', () => {});
  await invoke({ input: 'x' });
  expect(await served.stop()).toBe(0);
  served = await serve(dir);
  const { body } = await get('/v1/sessions/first/timeline');
  expect(body.items).toHaveLength(3);
}, 60_000);
