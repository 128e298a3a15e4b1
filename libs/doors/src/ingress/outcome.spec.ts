import type { DoorErrorCode } from '../wire/error-table.js';
import { failure, uncoded, unexpected } from '../wire/terminal.js';
import { outcomeOf, type Outcome } from './outcome.js';

it.each<[DoorErrorCode, Outcome]>([
  ['ERR_LOG_UNAVAILABLE', 'failed'],
  ['ERR_LEDGER_BEHIND', 'failed'],
  ['ERR_SESSION_BLOCKED', 'failed'],
])('E10 calls %s %s: the door decided nothing', (code, outcome) => {
  expect(outcomeOf(failure(code, 'x'))).toBe(outcome);
});

it.each<[DoorErrorCode, Outcome]>([
  ['ERR_IDENTITY_NOT_VERIFIED', 'identity-refused'],
  ['ERR_IDENTITY_VERIFIER_UNAVAILABLE', 'verifier-unavailable'],
  ['ERR_ADMISSION_REFUSED', 'admission-refused'],
  ['ERR_SESSION_NOT_FOUND', 'session-refused'],
  ['ERR_UNSUPPORTED_MEDIA_TYPE', 'cross-site-refused'],
  ['ERR_ORIGIN_NOT_ALLOWED', 'cross-site-refused'],
  ['ERR_HOST_NOT_ALLOWED', 'cross-site-refused'],
  ['ERR_CONCURRENT_RUN', 'refused'],
  ['ERR_INVALID_SESSION_ID', 'refused'],
])('E1 names how a request with %s ended: %s', (code, outcome) => {
  expect(outcomeOf(failure(code, 'x'))).toBe(outcome);
});

it('E2 calls served what was delivered, and failed what is not refused by a code of ours', () => {
  expect(outcomeOf({ kind: 'complete', output: '', turnId: 't', position: 'p' })).toBe('served');
  expect(outcomeOf({ kind: 'sessions', body: {} })).toBe('served');
  expect(outcomeOf(unexpected('reference', 'TypeError', 't'))).toBe('failed');
  expect(outcomeOf(uncoded(500, 'x'))).toBe('failed');
  expect(outcomeOf({ kind: 'fail', status: 500, error: 'x', code: 'ERR_OF_A_DRIVER' })).toBe('failed');
});
