import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oidcProvider, type OidcProvider } from '../../libs/access/src/identity/testing/oidc-provider.js';
import { signed, signingKey, type SigningKey } from '../../libs/access/src/identity/testing/signing.js';
import { serve, type Served } from '../faults/served-process.js';
import { filesOf } from './data-folder.js';

jest.setTimeout(120_000);
const AUDIENCE = 'https://doors.example';

let dir: string;
let provider: OidcProvider;
let key: SigningKey;
let served: Served;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-identity-'));
  [provider, key] = await Promise.all([oidcProvider(), signingKey('ES256', 'first')]);
  await provider.start([key.privateJwk]);
  served = await serve(dir, {
    DOORLEDGER_OIDC_ISSUER: provider.issuer,
    DOORLEDGER_OIDC_AUDIENCES: AUDIENCE,
    DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
    DOORLEDGER_IDENTITY_ALLOW_ANONYMOUS: 'true',
    DOORLEDGER_ADMISSION_TURNS_PER_HOUR: '40',
    DOORLEDGER_ADMISSION_ANONYMOUS_TURNS_PER_HOUR: '3',
    DOORLEDGER_LOGGING_LEVEL: 'debug',
  });
});
afterAll(async () => {
  await served.stop();
  await provider.kill();
  rmSync(dir, { recursive: true, force: true });
});

const tokenOf = (sub: string, more: object = {}) =>
  signed(key, { iss: provider.issuer, aud: AUDIENCE, sub, exp: Math.floor(Date.now() / 1000) + 300, ...more });

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function answer(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
}

const invoke = async (body: object, token?: string, headers: Record<string, string> = {}): Promise<Answer> =>
  answer(
    await fetch(`${served.url}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
      body: JSON.stringify(body),
    }),
  );
const get = async (path: string, token?: string): Promise<Answer> =>
  answer(await fetch(`${served.url}${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} }));

it('I5, I6 and E1 refuse a token that was judged and is bad with 401, and record which check failed', async () => {
  const now = Math.floor(Date.now() / 1000);
  const cases: [string, string][] = [
    ['expired', await tokenOf('one', { exp: now - 60 })],
    ['not-yet-valid', await tokenOf('one', { nbf: now + 120 })],
    ['wrong-audience', await tokenOf('one', { aud: 'https://elsewhere.example' })],
    ['wrong-issuer', await tokenOf('one', { iss: 'https://elsewhere.example' })],
    ['unverifiable', 'not-a-token'],
  ];
  for (const [, token] of cases) {
    const { status, body, headers } = await invoke({ input: 'x' }, token);
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'ERR_IDENTITY_NOT_VERIFIED', 'Bearer']);
  }
  const auditor = await tokenOf('watcher', { roles: ['auditor'] });
  let failures: unknown[] = [];
  while (failures.length < cases.length) {
    const { items } = (await get('/v1/ingress?limit=100', auditor)).body as { items: Record<string, unknown>[] };
    failures = items.filter(({ outcome }) => outcome === 'identity-refused').map(({ identityFailure }) => identityFailure);
  }
  expect(failures.sort()).toEqual(cases.map(([failure]) => failure).sort());
});

it('O1, O2 and O3 serve a session to its first signer only; missing, foreign and ownerless look the same', async () => {
  const [one, two] = [await tokenOf('one'), await tokenOf('two')];
  expect((await invoke({ input: 'mine', sessionId: 'of-one' }, one)).status).toBe(200);
  const foreign = [
    await invoke({ input: 'x', sessionId: 'of-one' }, two),
    await invoke({ op: 'session-transcript', sessionId: 'of-one' }, two),
    await invoke({ op: 'session-close', sessionId: 'of-one' }, two),
    await invoke({ decision: { approved: true }, sessionId: 'of-one' }, two),
    await invoke({ op: 'artifact-get', ref: 'r', sessionId: 'of-one' }, two),
    await invoke({ op: 'session-transcript', sessionId: 'of-nobody' }, two),
    await invoke({ input: 'x', sessionId: 'of-one' }),
    await invoke({ input: 'x', sessionId: 'guessable' }),
  ];
  for (const { status, body } of foreign)
    expect([status, body]).toEqual([404, { error: expect.any(String) as string, code: 'ERR_SESSION_NOT_FOUND' }]);
  expect(new Set(foreign.map(({ body }) => JSON.stringify(body)))).toHaveProperty('size', 1);
  expect((await invoke({ input: 'again', sessionId: 'of-one' }, one)).status).toBe(200);
});

it('O6 lists the caller’s own sessions newest first, and tells what was said in one', async () => {
  const [three, four] = [await tokenOf('three'), await tokenOf('four')];
  for (const sessionId of ['older', 'newer']) await invoke({ input: `in ${sessionId}`, sessionId }, three);
  await invoke({ input: 'elsewhere', sessionId: 'of-four' }, four);
  let sessions: Record<string, unknown>[] = [];
  while (sessions.length < 2 || sessions.some(({ messageCount }) => messageCount !== 2))
    ({ sessions } = (await invoke({ op: 'session-list' }, three)).body as { sessions: Record<string, unknown>[] });
  expect(sessions).toEqual(
    ['newer', 'older'].map((sessionId) => ({
      sessionId,
      savedAt: expect.stringMatching(/Z$/) as string,
      messageCount: 2,
      awaiting: false,
    })),
  );
  const { body } = await invoke({ op: 'session-transcript', sessionId: 'newer' }, three);
  expect(body).toEqual({
    transcript: {
      sessionId: 'newer',
      messages: [
        { role: 'user', text: 'in newer' },
        { role: 'assistant', text: 'in newer' },
      ],
    },
  });
  expect((await invoke({ op: 'session-pending', sessionId: 'newer' }, three)).body.code).toBe('ERR_NO_PENDING_ASK');
  expect(await invoke({ op: 'session-close', sessionId: 'older' }, three)).toMatchObject({ status: 200, body: { closed: true } });
  expect((await invoke({ input: 'x', sessionId: 'older' }, three)).status).toBe(404);
  expect((await invoke({ op: 'session-list' })).body).toEqual({ sessions: [] });
});

it('O2 serves anonymous callers by an id that was minted for them, and no signer in it', async () => {
  const minted = await answer(
    await fetch(`${served.url}/v1/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
  );
  const { sessionId } = minted.body as { sessionId: string };
  expect((await invoke({ input: 'x', sessionId })).status).toBe(200);
  expect((await invoke({ input: 'x', sessionId }, await tokenOf('one'))).status).toBe(404);
  expect((await invoke({ input: 'x', sessionId: `${sessionId.slice(0, -1)}x` })).status).toBe(404);
});

it('A3 and O3 refuse past the hour’s turns with 429 and when to come back; a stranger’s tries spend nothing', async () => {
  const five = await tokenOf('five');
  await invoke({ input: 'x', sessionId: 'of-five' }, five);
  const six = await tokenOf('six');
  for (let i = 0; i < 41; i++) expect((await invoke({ input: 'x', sessionId: 'of-five' }, six)).status).toBe(404);
  expect((await invoke({ input: 'x' }, six)).status).toBe(200);
  for (let i = 0; i < 3; i++) await invoke({ input: 'x' });
  const { status, body, headers } = await invoke({ input: 'x' });
  expect([status, body.code]).toEqual([429, 'ERR_ADMISSION_REFUSED']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

it('D18 gives a proven caller’s retry without a session the first turn, and another person their own', async () => {
  const seven = await tokenOf('seven');
  const key = { 'idempotency-key': 'sessionless' };
  const first = await invoke({ input: 'pay' }, seven, key);
  const again = await invoke({ input: 'pay' }, seven, key);
  expect([again.status, again.body, again.headers.get('x-turn-id')]).toEqual([200, { output: 'pay' }, first.headers.get('x-turn-id')]);
  expect((await invoke({ input: 'other' }, seven, key)).status).toBe(422);
  const eight = await invoke({ input: 'pay' }, await tokenOf('eight'), key);
  expect(eight.headers.get('x-turn-id')).not.toBe(first.headers.get('x-turn-id'));
  expect((await invoke({ input: 'pay' }, undefined, key)).body.code).toBe('ERR_INVALID_RUN_INPUT');
});

it('P1 shows each person their own sessions and turns, and all of them to an auditor only', async () => {
  const [nine, ten, auditor] = [await tokenOf('nine'), await tokenOf('ten'), await tokenOf('watcher', { roles: ['auditor'] })];
  const turn = await invoke({ input: 'x', sessionId: 'of-nine' }, nine);
  const turnId = turn.headers.get('x-turn-id')!;
  const at = turn.headers.get('x-doorledger-position')!;
  expect((await get(`/v1/sessions/of-nine/timeline?at=${at}`, nine)).status).toBe(200);
  expect((await get('/v1/sessions', nine)).body.items).toHaveLength(1);
  expect((await get(`/v1/turns/${turnId}`, nine)).body).toMatchObject({ status: 'completed', output: 'x' });
  for (const path of ['/v1/sessions/of-nine/timeline', `/v1/turns/${turnId}`]) expect((await get(path, ten)).status).toBe(404);
  expect((await get('/v1/sessions', ten)).body.items).toEqual([]);
  for (const path of ['/v1/ingress', '/v1/log', '/v1/census', '/v1/census/check']) {
    expect((await get(path, ten)).status).toBe(403);
    expect((await get(path, auditor)).status).toBe(200);
  }
  const { status, body } = await get(`/v1/turns/${turnId}`, auditor);
  expect([status, body.output]).toEqual([200, undefined]);
  expect((await get('/v1/sessions')).body.items).toEqual([]);
});

it('I9 and X1 keep tokens, subjects and people’s text out of every file and log line', async () => {
  const token = await tokenOf('canary-subject');
  await invoke({ input: 'canary-input', sessionId: 'canary-session' }, token);
  await invoke({ input: 'x' }, `${token}canary-tail`);
  const [, payload, signature] = token.split('.');
  const words = ['canary-subject', 'canary-input', 'canary-session', 'canary-tail', payload!, signature!];
  for (const path of filesOf(dir)) {
    const bytes = readFileSync(path).toString('latin1');
    for (const word of words) expect([path, bytes.includes(word)]).toEqual([path, false]);
  }
  for (const word of words) expect(served.words()).not.toContain(word);
});

it('I6 answers 503 while the key set cannot be reached, never 401', async () => {
  const away = await oidcProvider();
  const other = mkdtempSync(join(tmpdir(), 'doorledger-identity-'));
  const alone = await serve(other, { DOORLEDGER_OIDC_ISSUER: away.issuer, DOORLEDGER_OIDC_AUDIENCES: AUDIENCE });
  const token = await signed(key, { iss: away.issuer, aud: AUDIENCE, sub: 'one', exp: Math.floor(Date.now() / 1000) + 300 });
  const response = await answer(
    await fetch(`${alone.url}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"input":"x"}',
    }),
  );
  expect([response.status, response.body.code]).toEqual([503, 'ERR_IDENTITY_VERIFIER_UNAVAILABLE']);
  await alone.stop();
  rmSync(other, { recursive: true, force: true });
});
