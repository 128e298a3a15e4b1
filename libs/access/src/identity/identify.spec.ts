import { inspect } from 'node:util';
import fc from 'fast-check';
import { makeIdentify, type Identified, type Presented } from './identify.js';
import { IdentityNotVerifiedError, VerifierUnavailableError, type IdentityFailure, type Verified, type Verifier } from './verifier.js';

const ada = { issuer: 'https://id.example', tenant: 'acme', subject: 'ada', roles: ['approver'] };
const still = new AbortController().signal;

/** A verifier that answers, or throws, what it is told to. */
function verifier(answer: () => unknown): Verifier & { readonly tokens: string[] } {
  const tokens: string[] = [];
  return {
    tokens,
    verify: async (token) => {
      tokens.push(token);
      return answer() as Verified;
    },
  };
}
const throws = (error: unknown) =>
  verifier(() => {
    throw error;
  });
const good = verifier(() => ({ principal: ada, expiresAt: 5000 }));

const ask = async (verifier: Verifier | undefined, presented: Presented, allowAnonymous = false): Promise<Identified> =>
  makeIdentify({ verifier, allowAnonymous })(presented, still);

it('I1 checks nothing where no verifier is configured', async () => {
  for (const presented of [{}, { bearer: 'x' }, { claimedUser: 'ada' }])
    expect(await ask(undefined, presented)).toEqual({ kind: 'unchecked' });
});

it('I1 and I3 judge at once who bears nothing', () => {
  expect(makeIdentify({ allowAnonymous: false })({}, still)).toEqual({ kind: 'unchecked' });
  expect(makeIdentify({ verifier: good, allowAnonymous: false })({}, still)).toEqual({ kind: 'refused', failure: 'no-token' });
});

it('I3 refuses who brings nothing and claims nobody, and serves them as anonymous where that is allowed', async () => {
  expect(await ask(good, {})).toEqual({ kind: 'refused', failure: 'no-token' });
  expect(await ask(good, {}, true)).toEqual({ kind: 'anonymous' });
});

it('I4 and D16 refuse a claimed user without a bearer, anonymous callers allowed or not, and ask no verifier', async () => {
  const asked = verifier(() => ({ principal: ada }));
  for (const allowAnonymous of [false, true])
    for (const claimedUser of ['ada', ''])
      expect(await ask(asked, { claimedUser }, allowAnonymous)).toEqual({ kind: 'refused', failure: 'no-token', claimedUser: true });
  expect(asked.tokens).toEqual([]);
});

it('I2 proves who the bearer names, and refuses a bad one even where anonymous callers are served', async () => {
  expect(await ask(good, { bearer: 'x' })).toEqual({ kind: 'proven', principal: ada, expiresAt: 5000 });
  expect(await ask(throws(new IdentityNotVerifiedError('expired')), { bearer: 'x' }, true)).toMatchObject({ kind: 'refused' });
});

it.each<IdentityFailure>(['no-token', 'expired', 'not-yet-valid', 'wrong-audience', 'wrong-issuer', 'unverifiable'])(
  'I5 passes on that a token is %s',
  async (failure) => {
    const bad = throws(new IdentityNotVerifiedError(failure));
    expect(await ask(bad, { bearer: 'x' })).toEqual({ kind: 'refused', failure });
    expect(await ask(bad, { bearer: 'x', claimedUser: 'ada' })).toEqual({ kind: 'refused', failure, claimedUser: true });
  },
);

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a name', 'ada'],
  ['nobody', {}],
  ['a principal that is null', { principal: null }],
  ['an empty subject', { principal: { ...ada, subject: '' } }],
  ['a blank subject', { principal: { ...ada, subject: ' \t' } }],
  ['a subject that is no text', { principal: { ...ada, subject: 7 } }],
  ['an empty issuer', { principal: { ...ada, issuer: '' } }],
  ['an empty tenant', { principal: { ...ada, tenant: '' } }],
  ['a tenant that is null', { principal: { ...ada, tenant: null } }],
  ['no roles', { principal: { ...ada, roles: undefined } }],
  ['roles that are no texts', { principal: { ...ada, roles: [1] } }],
  ['an end that is no time', { principal: ada, expiresAt: Number.NaN }],
])('I5 takes a verifier that answers %s for unverifiable', async (_, answer) => {
  expect(
    await ask(
      verifier(() => answer),
      { bearer: 'x' },
    ),
  ).toEqual({ kind: 'refused', failure: 'unverifiable' });
});

it.each<[string, unknown]>([
  ['an Error', new Error('boom')],
  ['a text', 'boom'],
  ['nothing', undefined],
  ['something that looks like ours', { code: 'ERR_IDENTITY_VERIFIER_UNAVAILABLE' }],
])('I5 takes a verifier that throws %s for unverifiable', async (_, error) => {
  expect(await ask(throws(error), { bearer: 'x' })).toEqual({ kind: 'refused', failure: 'unverifiable' });
  const atOnce: Verifier = {
    verify: () => {
      throw error;
    },
  };
  expect(await ask(atOnce, { bearer: 'x' })).toEqual({ kind: 'refused', failure: 'unverifiable' });
});

describe('a token that was never judged', () => {
  it('I6 is unavailable, claimed user or not, and never 401', async () => {
    for (const presented of [{ bearer: 'x' }, { bearer: 'x', claimedUser: 'ada' }])
      expect(await ask(throws(new VerifierUnavailableError()), presented, true)).toEqual({ kind: 'unavailable' });
  });

  it('I6 is unavailable when the verifier does not answer in time, and the verifier is told', async () => {
    let told: AbortSignal | undefined;
    const silent: Verifier = { verify: (_, signal) => new Promise(() => (told = signal)) };
    expect(await makeIdentify({ verifier: silent, allowAnonymous: true, timeoutMs: 1 })({ bearer: 'x' }, still)).toEqual({
      kind: 'unavailable',
    });
    expect(told!.aborted).toBe(true);
  });

  it('I6 is unavailable when its caller hangs up, before or meanwhile', async () => {
    const gone = new AbortController();
    const failing: Verifier = {
      verify: (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    };
    const identify = makeIdentify({ verifier: failing, allowAnonymous: false });
    const meanwhile = identify({ bearer: 'x' }, gone.signal);
    gone.abort();
    expect(await meanwhile).toEqual({ kind: 'unavailable' });
    expect(await identify({ bearer: 'x' }, gone.signal)).toEqual({ kind: 'unavailable' });
  });
});

it('I8 and D16 serve neither when another user is claimed than the bearer proves, and the claimed one when both agree', async () => {
  expect(await ask(good, { bearer: 'x', claimedUser: 'ada' })).toMatchObject({ kind: 'proven' });
  for (const claimedUser of ['bob', 'Ada', 'ada ', ''])
    expect(await ask(good, { bearer: 'x', claimedUser }, true)).toEqual({
      kind: 'refused',
      failure: 'claimed-another-user',
      claimedUser: true,
      proven: ada,
    });
});

it('I9 lets nothing of a token, or of what a verifier holds beside the principal, travel further', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 12, unit: fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789-_.') }), async (token) => {
      const chatty = { principal: { ...ada, token, claims: { token } }, expiresAt: 1, token };
      const answers: Verifier[] = [
        verifier(() => chatty),
        throws(new Error(token)),
        throws({ token }),
        throws(new VerifierUnavailableError(token)),
      ];
      for (const answering of answers)
        expect(inspect(await ask(answering, { bearer: token }), { depth: 9, showHidden: true })).not.toContain(token.slice(0, 12));
    }),
  );
});
