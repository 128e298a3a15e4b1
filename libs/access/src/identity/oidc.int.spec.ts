import { makeIdentify, type Identified } from './identify.js';
import { jwtVerifier, type JwtVerifierOptions } from './jwt-verifier.js';
import { oidcProvider, type OidcProvider } from './testing/oidc-provider.js';
import { signingKey, type SigningKey } from './testing/signing.js';

const AUDIENCE = 'https://doors.example';

let provider: OidcProvider;
let first: SigningKey;
let second: SigningKey;
beforeEach(async () => {
  [provider, first, second] = await Promise.all([oidcProvider(), signingKey('ES256', 'first'), signingKey('ES256', 'second')]);
  await provider.start([first.privateJwk]);
});
afterEach(() => provider.kill());

function identify(options: JwtVerifierOptions = {}, jwksUri?: string): (token: string) => Promise<Identified> {
  const settings = { issuer: provider.issuer, audiences: [AUDIENCE], tenantClaim: 'org.id', rolesClaim: 'realm.roles' };
  const verifier = jwtVerifier([{ ...settings, ...(jwksUri && { jwksUri }) }], options);
  const of = makeIdentify({ verifier, allowAnonymous: false });
  return async (bearer) => of({ bearer }, new AbortController().signal);
}

it('I7 and I10 prove who a real provider’s token names, with its tenant and its roles', async () => {
  const token = await provider.token(AUDIENCE);
  const proven = {
    kind: 'proven',
    principal: { issuer: provider.issuer, tenant: 'acme', subject: 'robot', roles: ['auditor', 'approver'] },
  };
  expect(await identify()(token)).toMatchObject(proven);
  expect(await identify({}, `${provider.issuer}/jwks`)(token)).toMatchObject(proven);
  expect(await identify()(await provider.token('https://windows.example'))).toEqual({ kind: 'refused', failure: 'wrong-audience' });
});

it('I7 follows a real provider’s rotation, and takes the withdrawn key no more', async () => {
  const of = identify();
  const old = await provider.token(AUDIENCE);
  expect(await of(old)).toMatchObject({ kind: 'proven' });
  await provider.kill();
  await provider.start([second.privateJwk]);
  expect(await of(await provider.token(AUDIENCE))).toMatchObject({ kind: 'proven' });
  expect(await of(old)).toEqual({ kind: 'refused', failure: 'unverifiable' });
});

it('I6 leaves tokens unjudged while a real provider is down, goes on with keys it has, and follows it when it is back', async () => {
  let elapsed = 0;
  const of = identify({ elapsed: () => elapsed });
  const token = await provider.token(AUDIENCE);
  expect(await of(token)).toMatchObject({ kind: 'proven' });
  await provider.kill();
  expect(await of(token)).toMatchObject({ kind: 'proven' });
  expect(await identify()(token)).toEqual({ kind: 'unavailable' });
  elapsed = 600_000;
  expect(await of(token)).toEqual({ kind: 'unavailable' });
  await provider.start([first.privateJwk]);
  elapsed += 1000;
  expect(await of(token)).toMatchObject({ kind: 'proven' });
});
