import { inspect } from 'node:util';
import fc from 'fast-check';
import { base64url, UnsecuredJWT, SignJWT, type JWTPayload } from 'jose';
import { makeIdentify } from './identify.js';
import type { IssuerSettings } from './issuer.js';
import { jwtVerifier } from './jwt-verifier.js';
import { keyServer, type KeyServer } from './testing/key-server.js';
import { signed, signingKey, type SigningKey } from './testing/signing.js';

const ISSUER = 'https://id.example';
/** Seconds; the time in which every token of this spec is judged. */
const NOW = 1_800_000_000;
const claims: JWTPayload = { iss: ISSUER, aud: 'doors', sub: 'ada', exp: NOW + 60 };

let keys: KeyServer;
let key: SigningKey;
let other: SigningKey;
beforeAll(async () => {
  [key, other] = await Promise.all([signingKey('ES256', 'one'), signingKey('ES256', 'one')]);
});
beforeEach(async () => {
  keys = await keyServer();
  keys.answer = { keys: [key.publicJwk] };
});
afterEach(() => keys.close());

const still = new AbortController().signal;
const verifier = (settings: Partial<IssuerSettings> = {}, clockToleranceS?: number) =>
  jwtVerifier([{ issuer: ISSUER, audiences: ['doors'], jwksUri: keys.url, ...settings }], {
    now: () => NOW * 1000,
    ...(clockToleranceS !== undefined && { clockToleranceS }),
  });
/** `proven`, `unavailable`, or which check the token did not pass. */
async function judged(token: string, of = verifier()): Promise<string> {
  const identified = await makeIdentify({ verifier: of, allowAnonymous: true })({ bearer: token }, still);
  return identified.kind === 'refused' ? identified.failure : identified.kind;
}

describe('a token', () => {
  it('I7 and I9 proves the triple of its issuer, its tenant and its subject, until it expires', async () => {
    const whole = { ...claims, name: 'Ada', org: { id: 'acme' }, realm: { roles: ['auditor'] } };
    const of = verifier({ tenantClaim: 'org.id', rolesClaim: 'realm.roles' });
    expect(await of.verify(await signed(key, whole), still)).toEqual({
      principal: { issuer: ISSUER, tenant: 'acme', subject: 'ada', roles: ['auditor'], name: 'Ada' },
      expiresAt: (NOW + 60 + 30) * 1000,
    });
  });

  it.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('I7 may be signed by %s', async (alg) => {
    const signing = await signingKey(alg, 'k');
    keys.answer = { keys: [signing.publicJwk] };
    expect(await judged(await signed(signing, claims))).toBe('proven');
  });

  it.each<[string, object]>([
    ['expired', { exp: NOW - 31 }],
    ['proven', { exp: NOW - 29 }],
    ['not-yet-valid', { nbf: NOW + 31 }],
    ['proven', { nbf: NOW + 29 }],
    ['unverifiable', { exp: undefined }],
    ['unverifiable', { exp: 'tomorrow' }],
    ['unverifiable', { nbf: 'today' }],
    ['wrong-audience', { aud: 'windows' }],
    ['wrong-audience', { aud: undefined }],
    ['wrong-audience', { aud: [] }],
    ['wrong-audience', { aud: 'doors2' }],
    ['proven', { aud: ['windows', 'doors'] }],
    ['wrong-issuer', { iss: 'https://id.example/' }],
    ['wrong-issuer', { iss: 'https://evil.example' }],
    ['wrong-issuer', { iss: undefined }],
    ['unverifiable', { sub: undefined }],
    ['unverifiable', { sub: '' }],
  ])('I5, I7, and I10 is %s with the claims %j', async (verdict, changed) => {
    expect(await judged(await signed(key, { ...claims, ...changed }))).toBe(verdict);
  });

  it('I7 has to expire', async () => {
    for (const exp of [undefined, 'never'])
      await expect(verifier().verify(await signed(key, { ...claims, exp } as JWTPayload), still)).rejects.toMatchObject({
        failure: 'unverifiable',
      });
  });

  it('I10 is judged with the clock tolerance that is set', async () => {
    expect(await judged(await signed(key, { ...claims, exp: NOW - 1 }), verifier({}, 0))).toBe('expired');
    expect(await judged(await signed(key, { ...claims, exp: NOW - 119 }), verifier({}, 120))).toBe('proven');
  });

  it('I7 is for this door if it names any of the audiences', async () => {
    expect(await judged(await signed(key, claims), verifier({ audiences: ['windows', 'doors'] }))).toBe('proven');
    expect(await judged(await signed(key, claims), verifier({ audiences: [] }))).toBe('wrong-audience');
  });

  it('I9 is of no tenant but the one its claim names: without it nobody is proven', async () => {
    const of = verifier({ tenantClaim: 'org' });
    expect(await judged(await signed(key, { ...claims, org: 'acme' }), of)).toBe('proven');
    for (const org of [undefined, '', ' ', 7]) expect(await judged(await signed(key, { ...claims, org }), of)).toBe('unverifiable');
  });

  it('I5 is unverifiable when it is signed by somebody else, is cut short, or is none', async () => {
    const token = await signed(key, claims);
    const [header, , signature] = token.split('.');
    const forged = `${header}.${base64url.encode(JSON.stringify({ ...claims, sub: 'eve' }))}.${signature}`;
    for (const bad of [
      await signed(other, claims),
      forged,
      token.slice(0, -2),
      `${token}.x`,
      `${header}..${signature}`,
      'x',
      'a.b.c',
      '...',
      ' ',
    ])
      expect(await judged(bad)).toBe('unverifiable');
  });

  it('I7 is refused under a symmetric algorithm and under none, whatever it is signed with, and costs no fetch', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(key.publicJwk));
    const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
    expect(await judged(symmetric)).toBe('unverifiable');
    expect(await judged(new UnsecuredJWT(claims).encode())).toBe('unverifiable');
    expect(keys.fetches).toBe(0);
  });

  it('I7 brings no key along: what its header holds or points to counts for nothing', async () => {
    keys.answer = { keys: [key.publicJwk] };
    for (const header of [{ jwk: other.publicJwk }, { jku: keys.url }, { x5u: keys.url }, { kid: 'two', jwk: other.publicJwk }])
      expect(await judged(await signed(other, claims, header))).toBe('unverifiable');
  });

  it('I10 is judged by the keys of the issuer it names and by no other’s', async () => {
    const second = await keyServer();
    second.answer = { keys: [other.publicJwk] };
    const settings = { audiences: ['doors'] };
    const two = jwtVerifier(
      [
        { ...settings, issuer: ISSUER, jwksUri: keys.url },
        { ...settings, issuer: 'https://other.example', jwksUri: second.url },
      ],
      { now: () => NOW * 1000 },
    );
    expect(await judged(await signed(key, claims), two)).toBe('proven');
    expect(await judged(await signed(other, { ...claims, iss: 'https://other.example' }), two)).toBe('proven');
    expect(await judged(await signed(other, claims), two)).toBe('unverifiable');
    expect(await judged(await signed(key, { ...claims, iss: 'https://other.example' }), two)).toBe('unverifiable');
    await second.close();
  });
});

describe('an odd key set', () => {
  it('I10 is read: what is no key, unknown or unusable is skipped, and a key listed twice is one', async () => {
    const odd = [
      null,
      'text',
      7,
      {},
      [],
      { kty: 'XYZ', kid: 'one' },
      { kty: 'oct', k: 'AAAA', kid: 'one' },
      { kty: 'EC', crv: 'P-256', kid: 'one' },
    ];
    const broken = { ...key.publicJwk, x: 'AAAA' };
    keys.answer = {
      keys: [...odd, broken, other.publicJwk, key.publicJwk, { ...key.publicJwk }, { ...key.publicJwk, use: 'enc' }],
      more: 1,
    };
    expect(await judged(await signed(key, claims))).toBe('proven');
  });

  it('I10 lends no private key, and none that is for something else than signatures', async () => {
    for (const bad of [
      key.privateJwk,
      { ...key.publicJwk, use: 'enc' },
      { ...key.publicJwk, alg: 'ES384' },
      { ...key.publicJwk, key_ops: ['sign'] },
    ]) {
      keys.answer = { keys: [bad] };
      expect(await judged(await signed(key, claims))).toBe('unverifiable');
    }
  });

  it('I10 is tried key by key for a token without kid', async () => {
    const rsa = await signingKey('RS256', 'rsa');
    keys.answer = { keys: [other.publicJwk, rsa.publicJwk, key.publicJwk] };
    const of = verifier();
    expect(await judged(await signed(key, claims, { kid: null }), of)).toBe('proven');
    expect(await judged(await signed(rsa, claims, { kid: null }), of)).toBe('proven');
    expect(await judged(await signed(await signingKey(), claims), of)).toBe('unverifiable');
    expect(await judged(await signed(key, { ...claims, exp: NOW - 99 }, { kid: null }), of)).toBe('expired');
  });

  it('I10 with no key in it refuses: it was reached, and the token was judged', async () => {
    keys.answer = { keys: [] };
    expect(await judged(await signed(key, claims))).toBe('unverifiable');
  });
});

describe('a key set that cannot be had', () => {
  it.each<[string, KeyServer['answer']]>([
    ['an error', (response) => response.writeHead(500).end('{"keys":[]}')],
    ['another address', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['no JSON', (response) => response.writeHead(200).end('<html>')],
    ['no key set', { error: 'x' }],
    ['nothing', (response) => response.writeHead(200).end()],
    ['half an answer', (response) => void response.writeHead(200, { 'content-length': '100' }).write('{"keys":', () => response.destroy())],
    ['no end of it', (response) => void response.writeHead(200).end('x'.repeat(2 * 1024 * 1024))],
  ])('I6 leaves the token unjudged when the answer is %s', async (_, answer) => {
    keys.answer = answer;
    expect(await judged(await signed(key, claims))).toBe('unavailable');
  });

  it('I6 leaves the token unjudged when nobody listens, and when the answer does not come in time', async () => {
    keys.answer = () => undefined;
    const hasty = jwtVerifier([{ issuer: ISSUER, audiences: ['doors'], jwksUri: keys.url }], { fetchTimeoutMs: 20 });
    expect(await judged(await signed(key, claims), hasty)).toBe('unavailable');
    const { url } = keys;
    await keys.close();
    expect(await judged(await signed(key, claims), verifier({ jwksUri: url }))).toBe('unavailable');
    keys = await keyServer();
  });
});

describe('the issuer’s own document', () => {
  const discovering = (issuer: string) => jwtVerifier([{ issuer, audiences: ['doors'] }], { now: () => NOW * 1000 });

  it('I10 says where the keys are, when the settings do not', async () => {
    const issuer = keys.url.replace('/keys', '');
    const document = { issuer, jwks_uri: keys.url, keys: [key.publicJwk] };
    keys.answer = document;
    expect(await judged(await signed(key, { ...claims, iss: issuer }), discovering(issuer))).toBe('proven');
  });

  it('I6 and I10 count for nothing when it is another issuer’s', async () => {
    const issuer = keys.url.replace('/keys', '');
    for (const document of [{ issuer: 'https://evil.example', jwks_uri: keys.url }, { issuer }, []]) {
      keys.answer = { ...document, keys: [key.publicJwk] };
      expect(await judged(await signed(key, { ...claims, iss: issuer }), discovering(issuer))).toBe('unavailable');
    }
  });
});

it('I9 puts neither the token nor a claim of it into an error, not a piece and not a hash', async () => {
  const of = verifier();
  const secret = 'a-subject-that-must-not-be-seen';
  const good = await signed(key, { ...claims, sub: secret, exp: NOW - 99 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: good.length }), fc.string({ maxLength: 6 }), fc.nat({ max: 4 }), async (at, put, cut) => {
      const token = good.slice(0, at) + put + good.slice(at + cut);
      const error: unknown = await of.verify(token, still).catch((thrown: unknown) => thrown);
      const seen = inspect(error, { depth: 9, showHidden: true });
      expect(error).toBeInstanceOf(Error);
      expect(seen).not.toContain(secret);
      for (const part of good.split('.')) expect(seen).not.toContain(part.slice(0, 16));
    }),
  );
});
