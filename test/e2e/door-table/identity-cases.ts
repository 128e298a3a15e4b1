import { canary } from './canary.js';
import { served, type Bearer, type DoorCase, type ExpectedRow } from './door-case.js';

const body = { input: canary('personal') };
const agentCore = { path: '/invocations', body: { prompt: canary('prompt'), sessionId: canary('of-agentcore') } };
const claimed = 'x-amzn-bedrock-agentcore-runtime-user-id';
/** How a token that was judged and is bad, or missing, is answered. */
export const unproven = (identityFailure: string, more: Partial<ExpectedRow> = {}): Omit<DoorCase, 'name' | 'ask'> => ({
  status: 401,
  body: 'ERR_IDENTITY_NOT_VERIFIED',
  headers: { 'www-authenticate': 'Bearer' },
  row: { door: 'turn', outcome: 'identity-refused', errorCode: 'ERR_IDENTITY_NOT_VERIFIED', identityFailure, bearerPresent: true, ...more },
});
const judged = (as: Bearer): DoorCase => ({ name: `a token that is ${as}`, ask: { as, body }, ...unproven(as, { session: 'minted' }) });

/** I3 to I6, I8 and I9: who asks. The door serves anonymous callers, and admits none of their turns. */
export const identityCases: readonly DoorCase[] = [
  ...(['expired', 'not-yet-valid', 'wrong-audience', 'wrong-issuer', 'unverifiable'] as const).map(judged),
  {
    name: 'a token of an issuer that cannot be reached',
    ask: { as: 'of-an-issuer-away', body },
    status: 503,
    body: 'ERR_IDENTITY_VERIFIER_UNAVAILABLE',
    headers: { 'retry-after': '1', 'www-authenticate': undefined },
    row: {
      door: 'turn',
      outcome: 'verifier-unavailable',
      errorCode: 'ERR_IDENTITY_VERIFIER_UNAVAILABLE',
      bearerPresent: true,
      session: 'minted',
    },
  },
  {
    name: 'a bad token over a stream',
    ask: { as: 'expired', body, headers: { accept: 'text/event-stream' } },
    ...unproven('expired', { session: 'minted' }),
    status: 200,
    headers: {},
    body: ['error'],
  },
  {
    name: 'a bad token for an operation',
    ask: { as: 'expired', body: { op: 'session-list' } },
    ...unproven('expired', { door: 'session-op', op: 'session-list' }),
  },
  {
    name: 'a user who is claimed and not proven',
    ask: { ...agentCore, as: 'nobody', headers: { [claimed]: canary('user') } },
    ...unproven('no-token', { claimedUser: true, bearerPresent: false, session: canary('of-agentcore') }),
  },
  {
    name: 'a user who is not the proven one',
    ask: { ...agentCore, headers: { [claimed]: canary('user') } },
    ...unproven('claimed-another-user', { claimedUser: true, person: 'ann', session: canary('of-agentcore') }),
  },
  {
    name: 'a user who is the proven one',
    ask: { ...agentCore, headers: { [claimed]: canary('ann') } },
    status: 200,
    body: { output: canary('prompt') },
    row: served({ session: canary('of-agentcore') }),
  },
  {
    name: 'credentials of another scheme are no token',
    ask: { as: 'nobody', body, headers: { authorization: `Basic ${canary('password')}` } },
    status: 429,
    body: 'ERR_ADMISSION_REFUSED',
    headers: { 'retry-after': expect.stringMatching(/^\d+$/), 'set-cookie': expect.stringContaining('doorledger_session=') },
    row: {
      door: 'turn',
      outcome: 'admission-refused',
      errorCode: 'ERR_ADMISSION_REFUSED',
      admission: 'refuse',
      bearerPresent: false,
      session: 'minted',
    },
  },
];
