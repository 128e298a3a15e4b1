import { createSecretKey, randomBytes } from 'node:crypto';
import { makeIdentify } from '../identity/identify.js';
import { localPath } from '../sign-in/local-path.js';
import { cookieNamed } from './cookies.js';
import { isFromOwnPage } from './own-page.js';
import { SignedIn, type SignedInOptions } from './signed-in.js';

const options: SignedInOptions = {
  publicUrl: 'https://ledger.example/',
  issuer: 'https://id.example',
  clientId: 'console',
  tenantClaim: 'org',
  rolesClaim: 'roles',
  hours: 2,
};
const key = createSecretKey(randomBytes(32));
const tina = { issuer: options.issuer, tenant: 'acme', subject: 'tina', roles: ['approver'], name: 'Tina' };

function signedIn(more: Partial<SignedInOptions> = {}, secret = key): SignedIn {
  const made = new SignedIn({ ...options, ...more });
  made.open(secret);
  return made;
}

const valueOf = (set: string | undefined) => /^[^=]+=([^;]*)/.exec(set!)![1]!;

it('P1 names the cookie so that browsers take it over TLS and for this host only, and lets no script read it', async () => {
  expect(await signedIn().begin(tina)).toMatch(/^__Host-doorledger=[\w.-]+; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict; Secure$/);
  expect(signedIn().end()).toBe('__Host-doorledger=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure');
  expect(await signedIn({ publicUrl: 'http://127.0.0.1:8080' }).begin(tina)).toMatch(
    /^doorledger=[^;]+; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict$/,
  );
});

it('P1 proves the whole person in every process with the same key and settings, until it ends', async () => {
  const cookie = valueOf(await signedIn().begin(tina));
  const { principal, expiresAt } = await signedIn().verify(cookie);
  expect(principal).toEqual(tina);
  expect(Math.abs(expiresAt! - Date.now() - 7_200_000)).toBeLessThan(2000);
});

it.each<[string, Partial<SignedInOptions>]>([
  ['another issuer', { issuer: 'https://id2.example' }],
  ['another client', { clientId: 'other' }],
  ['no tenants, where it would name nobody’s', { tenantClaim: undefined }],
  ['another claim of roles', { rolesClaim: 'groups' }],
])('P1 proves nobody under %s', async (_, more) => {
  const cookie = valueOf(await signedIn().begin(tina));
  await expect(signedIn(more).verify(cookie)).rejects.toMatchObject({ failure: 'unverifiable' });
});

it('P1 and I6: nobody opens it with another key, and before its key is there it is not judged', async () => {
  const cookie = valueOf(await signedIn().begin(tina));
  await expect(signedIn({}, createSecretKey(randomBytes(32))).verify(cookie)).rejects.toMatchObject({ failure: 'unverifiable' });
  const early = makeIdentify({ verifier: new SignedIn(options), signedIn: new SignedIn(options), allowAnonymous: true });
  expect(await early({ cookie }, new AbortController().signal)).toEqual({ kind: 'unavailable' });
});

it('I2 asks the bearer and not the cookie where a request has both', async () => {
  const mine = signedIn();
  const cookie = valueOf(await mine.begin(tina));
  const identify = makeIdentify({
    verifier: { verify: async () => ({ principal: { ...tina, subject: 'ann' } }) },
    signedIn: mine,
    allowAnonymous: false,
  });
  const { signal } = new AbortController();
  expect(await identify({ bearer: 'x', cookie }, signal)).toMatchObject({ kind: 'proven', principal: { subject: 'ann' } });
  expect(await identify({ cookie }, signal)).toMatchObject({ kind: 'proven', principal: { subject: 'tina' } });
});

it('P1 makes no cookie that browsers would drop', async () => {
  const roles = Array.from({ length: 500 }, (_, i) => `department-${i}`);
  expect(await signedIn().begin({ ...tina, roles })).toBeUndefined();
});

it('P1 reads a cookie that is there once, and none that is there twice', () => {
  expect(cookieNamed('a=1; doorledger=x=y ;b=2', 'doorledger')).toBe('x=y');
  for (const header of [undefined, '', 'doorledger', 'xdoorledger=1', 'doorledger=1; doorledger=2'])
    expect(cookieNamed(header, 'doorledger')).toBeUndefined();
});

describe('a request with a cookie', () => {
  const own = 'https://ledger.example';
  const json = { 'content-type': 'application/json' };

  it.each([
    ['POST', { 'sec-fetch-site': 'same-origin', ...json }],
    ['POST', { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json; charset=utf-8' }],
    ['DELETE', { origin: own, ...json }],
    ['GET', {}],
    ['GET', { 'sec-fetch-site': 'same-origin' }],
    ['GET', { 'sec-fetch-site': 'none' }],
    ['HEAD', { origin: own }],
  ])('P1 is one of our own pages: %s %j', (method, headers) => expect(isFromOwnPage({ method, headers }, own)).toBe(true));

  it.each([
    ['POST', json],
    ['POST', { 'sec-fetch-site': 'same-origin' }],
    ['POST', { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' }],
    ['POST', { 'sec-fetch-site': 'same-site', origin: own, ...json }],
    ['POST', { 'sec-fetch-site': 'cross-site', origin: own, ...json }],
    ['POST', { 'sec-fetch-site': 'none', ...json }],
    ['POST', { 'sec-fetch-site': 'same-origin, cross-site', ...json }],
    ['POST', { origin: 'null', ...json }],
    ['POST', { origin: 'http://ledger.example', ...json }],
    ['POST', { origin: `${own}.evil.example`, ...json }],
    ['OPTIONS', { 'sec-fetch-site': 'cross-site' }],
    ['GET', { 'sec-fetch-site': 'cross-site' }],
    ['GET', { 'sec-fetch-site': 'same-site' }],
    ['GET', { origin: 'https://evil.example' }],
  ])('P1 is not proven to be one of ours: %s %j', (method, headers) => expect(isFromOwnPage({ method, headers }, own)).toBe(false));
});

it('P1 comes back to a path of this deployment only', () => {
  const own = 'https://ledger.example';
  for (const path of ['/', '/consents?state=pending#x', '/a/../b', '/%2F%2Fevil.example'])
    expect(localPath(path, own)).toBe(path === '/a/../b' ? '/b' : path);
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\n/evil.example',
    '/..//evil.example',
    '/auth/callback',
    'https://evil.example',
  ];
  for (const asked of [...elsewhere, `/${'x'.repeat(1000)}`, undefined, ['/a', '/b']]) expect(localPath(asked, own)).toBe('/');
});
