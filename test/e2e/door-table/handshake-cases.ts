import { canary } from './canary.js';
import type { DoorCase } from './door-case.js';
import { unproven } from './identity-cases.js';
import { nobodys } from './session-cases.js';

const atHandshake = (name: string, ask: DoorCase['ask'], expected: Omit<DoorCase, 'name' | 'ask'>): DoorCase => ({
  ...expected,
  name: `a conversation: ${name}`,
  ask: { isUpgrade: true, ...ask },
  headers: { ...expected.headers, connection: 'close' },
  ...(expected.row && { row: { ...expected.row, door: 'conversation' } }),
});
const noHandshake = {
  status: 400,
  body: { error: expect.any(String) },
  row: { door: 'conversation', outcome: 'failed', bearerPresent: true },
} as const;

/** C1, C4, D12, E9 and O2 before the 101. */
export const handshakeCases: readonly DoorCase[] = [
  atHandshake(
    'another version',
    { headers: { 'sec-websocket-version': '12' } },
    { ...noHandshake, headers: { 'sec-websocket-version': '13' } },
  ),
  atHandshake('no key', { headers: { 'sec-websocket-key': canary('key') } }, noHandshake),
  atHandshake(
    'an id that is none',
    { path: `/conversation?sessionId=${canary('id')}%20x` },
    {
      status: 400,
      body: { error: expect.any(String), code: 'ERR_INVALID_SESSION_ID', reason: 'invalid-character' },
      row: { door: 'conversation', outcome: 'refused', errorCode: 'ERR_INVALID_SESSION_ID', bearerPresent: true },
    },
  ),
  atHandshake('an expired token', { as: 'expired' }, unproven('expired')),
  atHandshake(
    'an issuer that cannot be reached',
    { as: 'of-an-issuer-away' },
    {
      status: 503,
      body: 'ERR_IDENTITY_VERIFIER_UNAVAILABLE',
      headers: { 'retry-after': '1' },
      row: { door: 'conversation', outcome: 'verifier-unavailable', errorCode: 'ERR_IDENTITY_VERIFIER_UNAVAILABLE', bearerPresent: true },
    },
  ),
  atHandshake(
    'a stranger’s session',
    { as: 'bob', headers: { 'x-session-id': canary('wire-session') } },
    nobodys('x', { op: undefined, session: canary('wire-session') }),
  ),
];
