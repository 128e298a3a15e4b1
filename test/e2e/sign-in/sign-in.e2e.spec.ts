import { setTimeout as sleep } from 'node:timers/promises';
import { CookieSeal } from '../../../libs/access/src/browser/cookie-seal.js';
import { deploymentKeyOf } from '../../../libs/privacy/src/deployment-key.js';
import { CLIENT_SECRET } from '../../../libs/access/src/sign-in/testing/people-provider.js';
import { serve, type Served } from '../../faults/served-process.js';
import { Browser, type Seen } from './browser.js';
import { SignInWorld } from './sign-in-world.js';

jest.setTimeout(120_000);
const people = {
  ann: { name: 'Ann' },
  tina: { name: 'Tina', roles: ['treasurer', 'approver'] },
  otto: { name: 'Otto', roles: ['operator'] },
  many: { roles: Array.from({ length: 400 }, (_, i) => `department-${i}`) },
};
const COOKIE = 'doorledger';

let world: SignInWorld;
let served: Served;
beforeAll(async () => {
  world = await SignInWorld.start(people);
  served = await serve(`${world.dir}/data`, { ...world.env, DOORLEDGER_PORT: world.port });
});
afterAll(async () => {
  await served.stop();
  await world.stop();
});

const told = ({ status, body }: Seen) => [status, body.code];
const page = (text: string) => /<p>Code: (\w+)<\/p>/.exec(text)?.[1];
const me = async (browser: Browser) => (await browser.page(world.origin, '/v1/me')).body;
const nobody = { open: false, signedIn: false, roles: [], signIn: '/auth/sign-in' };

/** The census' newest record of an operation. */
async function recorded(op: string, is: (item: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
  for (;;) {
    const response = await fetch(`${world.origin}/v1/ingress?limit=100`, { headers: await world.bearer('otto') });
    const { items } = (await response.json()) as { items: Record<string, unknown>[] };
    const found = items.find((item) => item.op === op && is(item));
    if (found) return found;
    await sleep(20);
  }
}

it('P1 signs a person in at the provider, and the cookie proves the same person as their token, with the same roles', async () => {
  expect(await me(new Browser())).toEqual(nobody);
  const { browser, back } = await world.signedIn('tina', '/v1/consents?state=pending#first');
  expect([back.status, back.headers.get('location')]).toEqual([303, '/v1/consents?state=pending#first']);
  const cookie = back.headers.getSetCookie().find((set) => set.startsWith(`${COOKIE}=`));
  expect(cookie).toMatch(/; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
  expect([...browser.jar.keys()].filter((name) => name.startsWith('doorledger-flow'))).toEqual([]);
  const bearer = await fetch(`${world.origin}/v1/me`, { headers: await world.bearer('tina') });
  const itself = await me(browser);
  expect(itself).toEqual({
    open: false,
    signedIn: true,
    name: 'Tina',
    userRef: expect.stringMatching(/^[0-9a-f]{32}$/),
    roles: ['treasurer', 'approver'],
    signIn: '/auth/sign-in',
  });
  expect(await bearer.json()).toEqual(itself);
});

it('P1, N53 and E13 let a person list and decide what waits with their cookie, and record who did it', async () => {
  const { browser } = await world.signedIn('tina');
  const { requestId, turnId } = await world.paused('ann', 'with-cookie');
  for (;;) {
    const { body } = await browser.page(world.origin, '/v1/consents?state=pending');
    if ((body.items as { requestId: string }[]).some((item) => item.requestId === requestId)) break;
    await sleep(20);
  }
  const call = await browser.page(world.origin, `/v1/consents/${requestId}/call`);
  expect([call.status, call.body.args]).toEqual([200, { note: 'with-cookie' }]);
  const decision = await browser.page(world.origin, `/v1/consents/${requestId}/decision`, { approved: true });
  expect([decision.status, decision.body]).toEqual([200, { requestId, verdict: 'approved', turnId }]);
  const { userRef } = await me(browser);
  expect(await recorded('consent-decide', (item) => item.outcome === 'served')).toMatchObject({
    door: 'api',
    userRef,
    bearerPresent: false,
  });
  while (world.desk.times('with-cookie') === 0) await sleep(20);
  expect(told(await browser.page(world.origin, `/v1/consents/${requestId}/decision`, { approved: false }))).toEqual([
    409,
    'ERR_RESUME_REFUSED',
  ]);
  expect(world.desk.times('with-cookie')).toBe(1);
});

it('P1 counts a cookie as not sent unless a page of its own origin sent it, and decides nothing', async () => {
  const { browser } = await world.signedIn('tina');
  const { requestId } = await world.paused('ann', 'forged');
  const path = `/v1/consents/${requestId}/decision`;
  const json = { 'content-type': 'application/json' };
  const post = (headers: Record<string, string>, body = '{"approved":true}') =>
    browser.ask(world.origin + path, { method: 'POST', headers, body });
  const form = await post({
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'cross-site',
    origin: 'https://evil.example',
  });
  expect(told(form)).toEqual([403, 'ERR_ORIGIN_NOT_ALLOWED']);
  // What the guard lets pass because it cannot be a browser's, and what a neighbour of the same site sends.
  for (const headers of [{}, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }] as Record<string, string>[])
    expect(told(await post({ ...json, ...headers }))).toEqual([401, 'ERR_IDENTITY_NOT_VERIFIED']);
  expect(told(await post({ 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' }))).toEqual([415, 'ERR_UNSUPPORTED_MEDIA_TYPE']);
  for (const site of ['cross-site', 'same-site'])
    expect(told(await browser.ask(`${world.origin}/v1/consents`, { headers: { 'sec-fetch-site': site } }))).toEqual([
      401,
      'ERR_IDENTITY_NOT_VERIFIED',
    ]);
  expect(await recorded('consent-decide', (item) => item.outcome === 'identity-refused')).toMatchObject({ identityFailure: 'no-token' });
  expect(world.desk.times('forged')).toBe(0);
  // A browser that sends no fetch metadata proves it by its Origin.
  expect((await post({ ...json, origin: world.origin })).status).toBe(200);
});

it('P1 gives the cookie to the APIs and not to the doors, which take tokens', async () => {
  const { browser } = await world.signedIn('ann');
  expect(told(await browser.page(world.origin, '/invoke', { input: 'hello' }))).toEqual([401, 'ERR_IDENTITY_NOT_VERIFIED']);
});

it('P1 shows who has no role their own, and refuses them the views of everybody’s facts', async () => {
  const { browser } = await world.signedIn('ann');
  expect(await me(browser)).toMatchObject({ signedIn: true, roles: [] });
  expect(told(await browser.page(world.origin, '/v1/ingress'))).toEqual([403, 'ERR_ROLE_REQUIRED']);
  expect(told(await browser.page(world.origin, '/v1/freezes', { target: { kind: 'everything' }, why: 'x' }))).toEqual([
    403,
    'ERR_ROLE_REQUIRED',
  ]);
  const { browser: operators } = await world.signedIn('otto');
  expect((await operators.page(world.origin, '/v1/ingress')).status).toBe(200);
  expect((await operators.page(world.origin, '/v1/freezes')).status).toBe(200);
});

it('P1 and I5 prove nobody by a cookie that was changed, has expired, or is of another kind', async () => {
  const { browser } = await world.signedIn('tina');
  const { value } = browser.jar.get(COOKIE)!;
  const seal = new CookieSeal();
  seal.give(deploymentKeyOf(Buffer.from(world.deploymentKey, 'hex')).signIn);
  const { exp: _, aud: __, ...claims } = await seal.open('session', value);
  const hour = Math.floor(Date.now() / 1000) + 3600;
  const of = async (cookie: string) => {
    browser.jar.set(COOKIE, { value: cookie, path: '/' });
    expect(await me(browser)).toEqual(nobody);
    expect(told(await browser.page(world.origin, '/v1/consents'))).toEqual([401, 'ERR_IDENTITY_NOT_VERIFIED']);
    await browser.page(world.origin, `/v1/consents/${'0'.repeat(64)}/decision`, { approved: true });
  };
  for (const at of [20, value.length - 30]) await of(value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1));
  await of('x');
  await of(await seal.seal('flow', claims, hour));
  await of(await seal.seal('session', { ...claims, by: 'other settings' }, hour));
  const failures = async () => (await recorded('consent-decide', (item) => item.identityFailure === 'unverifiable')).outcome;
  expect(await failures()).toBe('identity-refused');
  await of(await seal.seal('session', claims, Math.floor(Date.now() / 1000) - 1));
  expect(await recorded('consent-decide', (item) => item.identityFailure === 'expired')).toMatchObject({ outcome: 'identity-refused' });
  browser.jar.set(COOKIE, { value: await seal.seal('session', claims, hour), path: '/' });
  expect(await me(browser)).toMatchObject({ signedIn: true, name: 'Tina' });
});

it('P1 takes each answer of the provider once, in the browser that began, and only as it was asked for', async () => {
  const browser = new Browser();
  const callback = await world.callbackOf(browser, 'tina');
  const jar = new Map(browser.jar);
  expect(page((await new Browser().ask(callback)).text)).toBe('ERR_SIGN_IN_NOT_BEGUN');
  const state = new URL(callback).searchParams.get('state')!;
  for (const other of [state.slice(0, -1) + (state.endsWith('A') ? 'B' : 'A'), 'x', ''])
    expect(page((await browser.ask(callback.replace(state, other))).text)).toBe('ERR_SIGN_IN_NOT_BEGUN');
  expect((await browser.ask(callback)).status).toBe(303);
  // Once more: the browser has no such sign-in left; and with its old cookies the provider’s code is used up.
  const again = await browser.ask(callback);
  expect([again.status, page(again.text)]).toEqual([400, 'ERR_SIGN_IN_NOT_BEGUN']);
  const thief = new Browser();
  for (const [name, cookie] of jar) thief.jar.set(name, cookie);
  const replayed = await thief.ask(callback);
  expect([replayed.status, page(replayed.text), replayed.headers.getSetCookie()]).toEqual([400, 'ERR_SIGN_IN_NOT_BEGUN', []]);
});

it.each([
  ['nonce', 'ERR_SIGN_IN_ANSWER', 502],
  ['code_challenge', 'ERR_SIGN_IN_NOT_BEGUN', 400],
])('P1 refuses an answer to another %s than it asked with', async (parameter, code, status) => {
  const browser = new Browser();
  const begun = await browser.ask(`${world.origin}/auth/sign-in`);
  const asked = new URL(begun.headers.get('location')!);
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid profile',
    nonce: expect.any(String) as string,
    state: expect.any(String) as string,
  });
  asked.searchParams.set(parameter, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  const callback = await browser.walk(asked.href, 'tina', (url) => url.startsWith(`${world.origin}/auth/callback`));
  const back = await browser.ask(callback);
  expect([back.status, page(back.text), browser.jar.has(COOKIE)]).toEqual([status, code, false]);
});

it('P1 tells a person whom the provider refuses so, and repeats nothing of what a request says', async () => {
  const browser = new Browser();
  const begun = await browser.ask(`${world.origin}/auth/sign-in`);
  const asked = new URL(begun.headers.get('location')!);
  const query = new URLSearchParams({ error: 'access_denied', error_description: '<script>', iss: world.provider.issuer });
  query.set('state', asked.searchParams.get('state')!);
  const { status, text, headers } = await browser.ask(`${world.origin}/auth/callback?${query}`);
  expect([status, page(text), text.includes('script')]).toEqual([403, 'ERR_SIGN_IN_REFUSED', false]);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('cache-control')).toBe('no-store');
  const { browser: crowded, back } = await world.signedIn('many');
  expect([back.status, page(back.text), crowded.jar.has(COOKIE)]).toEqual([403, 'ERR_SIGN_IN_TOO_LARGE', false]);
});

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/auth/sign-in',
  'evil',
  '',
])('P1 sends nobody elsewhere after signing in: %j', async (to) => {
  const { back } = await world.signedIn('ann', to);
  expect([back.status, back.headers.get('location')]).toEqual([303, '/']);
});

it('P1 signs a person out for a page of its own only', async () => {
  const { browser } = await world.signedIn('tina');
  const json = { 'content-type': 'application/json' };
  const out = (headers: Record<string, string>) => browser.ask(`${world.origin}/auth/sign-out`, { method: 'POST', headers });
  expect((await out({ ...json, 'sec-fetch-site': 'same-site' })).status).toBe(403);
  expect((await out({ ...json, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).status).toBe(403);
  expect(await me(browser)).toMatchObject({ signedIn: true });
  expect((await out({ ...json, 'sec-fetch-site': 'same-origin' })).status).toBe(204);
  expect([browser.jar.has(COOKIE), await me(browser)]).toEqual([false, nobody]);
});

it('P1 and T21 end a stream that is read with a cookie when its reader’s sign-in is revoked', async () => {
  const { browser } = await world.signedIn('otto');
  const { userRef } = await me(browser);
  const headers = { cookie: `${COOKIE}=${browser.jar.get(COOKIE)!.value}`, 'sec-fetch-site': 'same-origin' };
  const stream = await fetch(`${world.origin}/v1/stream`, { headers });
  expect(stream.status).toBe(200);
  const revoked = await fetch(`${world.origin}/v1/users/${String(userRef)}/revoke`, {
    method: 'POST',
    headers: await world.bearer('otto'),
    body: '{}',
  });
  expect(revoked.status).toBe(200);
  expect(await stream.text()).toContain('identity.revoked');
});

it('I6 says 503 in words while the provider is away, signs nobody in, and goes on with the cookies there are', async () => {
  const { browser } = await world.signedIn('tina');
  const late = new Browser();
  const callback = await world.callbackOf(late, 'tina');
  await world.provider.kill();
  const { status, text } = await late.ask(callback);
  expect([status, page(text), late.jar.has(COOKIE)]).toEqual([503, 'ERR_IDENTITY_VERIFIER_UNAVAILABLE', false]);
  expect(await me(browser)).toMatchObject({ signedIn: true });
  await world.provider.start();
  expect((await world.signedIn('tina')).back.status).toBe(303);
});

it('I9 puts no cookie, no secret and no answer of the provider into a log line', async () => {
  const { browser } = await world.signedIn('tina');
  const words = served.words();
  expect(words).toContain('A sign-in did not come about.');
  for (const secret of [browser.jar.get(COOKIE)!.value.slice(-20), CLIENT_SECRET, 'eyJ', 'code=']) expect(words).not.toContain(secret);
});
