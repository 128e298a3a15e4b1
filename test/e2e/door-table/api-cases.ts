import { canary } from './canary.js';
import type { DoorCase } from './door-case.js';
import { unproven } from './identity-cases.js';

/** P1, P3, P5, P7 and E13: the API. What only reads has no place in the census. */
export const apiCases: readonly DoorCase[] = [
  {
    name: 'minting a session',
    ask: { path: '/v1/sessions', body: { note: canary('note') } },
    status: 201,
    body: { sessionId: expect.any(String) },
    row: { door: 'api', op: 'session-mint', outcome: 'served', bearerPresent: true, person: 'ann' },
  },
  {
    name: 'minting with a bad token',
    ask: { path: '/v1/sessions', as: 'expired', body: {} },
    ...unproven('expired', { door: 'api', op: 'session-mint' }),
  },
  {
    name: 'minting with a body that is no JSON',
    ask: { path: '/v1/sessions', body: `{"a":"${canary('api')}` },
    status: 400,
    body: { error: expect.any(String) },
    counted: 'unparseable-body',
  },
  {
    name: 'minting from a foreign page',
    ask: { path: '/v1/sessions', body: {}, headers: { origin: `https://${canary('page')}.example` } },
    status: 403,
    body: 'ERR_ORIGIN_NOT_ALLOWED',
    row: { door: 'request', outcome: 'cross-site-refused', errorCode: 'ERR_ORIGIN_NOT_ALLOWED', bearerPresent: true },
  },
  {
    name: 'closing somebody else’s session',
    ask: { path: `/v1/sessions/${canary('wire-session')}/close`, as: 'bob', body: {} },
    status: 404,
    body: 'ERR_SESSION_NOT_FOUND',
    row: {
      door: 'api',
      op: 'session-close',
      outcome: 'session-refused',
      errorCode: 'ERR_SESSION_NOT_FOUND',
      bearerPresent: true,
      person: 'bob',
      session: canary('wire-session'),
    },
  },
  {
    name: 'a turn that is not there',
    ask: { method: 'GET', path: `/v1/turns/${canary('turn')}`, body: '' },
    status: 404,
    body: 'ERR_NOT_FOUND',
  },
  { name: 'the census without the role', ask: { method: 'GET', path: '/v1/census', body: '' }, status: 403, body: 'ERR_ROLE_REQUIRED' },
  {
    name: 'the log with a bad token',
    ask: { method: 'GET', path: '/v1/log', as: 'expired', body: '' },
    status: 401,
    body: 'ERR_IDENTITY_NOT_VERIFIED',
    headers: { 'www-authenticate': 'Bearer' },
  },
  {
    name: 'a parameter that nobody knows',
    ask: { method: 'GET', path: `/v1/sessions?${canary('parameter')}=1`, body: '' },
    status: 400,
    body: { error: expect.stringContaining('Known are: find, limit, cursor, at.'), code: 'ERR_INVALID_QUERY' },
  },
  {
    name: 'a position that the ledger has not reached',
    ask: { method: 'GET', path: '/v1/sessions?at=doorledger.session.v1:0:999999', body: '' },
    status: 503,
    body: 'ERR_LEDGER_BEHIND',
  },
];
