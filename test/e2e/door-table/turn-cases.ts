import { canary } from './canary.js';
import { served, type DoorCase, type ExpectedRow } from './door-case.js';

const session = canary('wire-session');
/** A request that was understood and refused. */
export const refused = (errorCode: string, more: Partial<ExpectedRow> = {}): ExpectedRow => ({
  door: 'turn',
  outcome: 'refused',
  errorCode,
  bearerPresent: true,
  person: 'ann',
  ...more,
});

/** D1, D10, D11, D13 to D15, D18 and D23: what was understood, and served or refused. */
export const turnCases: readonly DoorCase[] = [
  {
    name: 'a message',
    ask: { body: { input: canary('message'), sessionId: session } },
    status: 200,
    body: { output: canary('message') },
    headers: { 'x-turn-id': expect.any(String), 'set-cookie': undefined },
    row: served({ session }),
  },
  {
    name: 'a path with a query',
    ask: { path: `/invoke?token=${canary('query')}`, body: { input: 'x', sessionId: session } },
    status: 200,
    body: { output: 'x' },
    row: served({ session }),
  },
  {
    name: 'a session in the header',
    ask: { body: { input: 'x', sessionId: 7 }, headers: { 'x-session-id': session } },
    status: 200,
    body: { output: 'x' },
    row: served({ session }),
  },
  {
    name: 'a cookie whose MAC fails counts as absent',
    ask: { body: { input: 'x' }, headers: { cookie: `doorledger_session=${canary('cookie')}` } },
    status: 200,
    body: { output: 'x' },
    headers: { 'set-cookie': expect.stringMatching(/^doorledger_session=.*HttpOnly/) },
    row: served({ session: 'minted' }),
  },
  {
    name: 'an event stream',
    ask: { body: { input: canary('streamed'), sessionId: session }, headers: { accept: 'text/event-stream' } },
    status: 200,
    body: ['progress', 'chunk', 'complete'],
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    row: served({ session }),
  },
  {
    name: 'an empty message',
    ask: { body: { input: '', sessionId: session } },
    status: 400,
    body: 'ERR_INVALID_RUN_INPUT',
    row: refused('ERR_INVALID_RUN_INPUT', { session }),
  },
  {
    name: 'an empty message over a stream',
    ask: { body: { input: [canary('no-text')], sessionId: session }, headers: { accept: 'text/event-stream' } },
    status: 200,
    body: ['error'],
    row: refused('ERR_INVALID_RUN_INPUT', { session }),
  },
  {
    name: 'a key with a space',
    ask: { body: { input: 'x', sessionId: session }, headers: { 'idempotency-key': `${canary('key')} x` } },
    status: 400,
    body: 'ERR_INVALID_RUN_INPUT',
    row: refused('ERR_INVALID_RUN_INPUT', { session }),
  },
  {
    name: 'a key for the first time',
    ask: { body: { input: canary('keyed'), sessionId: session }, headers: { 'idempotency-key': canary('key') } },
    status: 200,
    body: { output: canary('keyed') },
    row: served({ session }),
  },
  {
    name: 'the same again',
    ask: { body: { input: canary('keyed'), sessionId: session }, headers: { 'idempotency-key': canary('key') } },
    status: 200,
    body: { output: canary('keyed') },
    row: { ...served({ session }), admission: undefined },
  },
  {
    name: 'the same key for something else',
    ask: { body: { input: canary('else'), sessionId: session }, headers: { 'idempotency-key': canary('key') } },
    status: 422,
    body: { error: expect.any(String), code: 'ERR_IDEMPOTENCY_KEY_REUSED', turnId: expect.any(String) },
    headers: { 'x-turn-id': expect.any(String) },
    row: refused('ERR_IDEMPOTENCY_KEY_REUSED', { session, hasTurn: true }),
  },
  {
    name: 'a decision',
    ask: { body: { decision: canary('decision'), input: 'x', sessionId: session } },
    status: 409,
    body: 'ERR_NO_PENDING_ASK',
    row: refused('ERR_NO_PENDING_ASK', { session, admission: 'allow', errorName: 'TurnError' }),
  },
  {
    name: 'a decision that is null, without a session',
    ask: { body: { decision: null } },
    status: 409,
    body: 'ERR_NO_PENDING_ASK',
    row: refused('ERR_NO_PENDING_ASK'),
  },
  {
    name: 'an artifact without a session',
    ask: { body: { op: 'artifact-get', ref: canary('ref') } },
    status: 400,
    body: 'ERR_ARTIFACT_SESSION_REQUIRED',
    row: refused('ERR_ARTIFACT_SESSION_REQUIRED', { door: 'artifact', op: 'artifact-get' }),
  },
  {
    name: 'an artifact that is not there',
    ask: { body: { op: 'artifact-head', ref: canary('ref'), sessionId: session } },
    status: 404,
    body: 'ERR_ARTIFACT_NOT_FOUND',
    row: refused('ERR_ARTIFACT_NOT_FOUND', { door: 'artifact', op: 'artifact-head', session }),
  },
];
