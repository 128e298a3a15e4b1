import { canary } from './canary.js';
import { early, served, type Ask, type DoorCase } from './door-case.js';
import { refused } from './turn-cases.js';

const session = canary('wire-session');
const badId = (reason: string, ask: Ask): Omit<DoorCase, 'name'> => ({
  ask,
  status: 400,
  body: { error: expect.any(String), code: 'ERR_INVALID_SESSION_ID', reason },
  row: early('ERR_INVALID_SESSION_ID'),
});
const badOp = (body: object): Omit<DoorCase, 'name'> => ({
  ask: { body },
  status: 400,
  body: { error: expect.stringContaining('session-list, session-transcript {sessionId}'), code: 'ERR_INVALID_WIRE_OP' },
  counted: 'bad-wire-op',
});
const uncoded = (status: number) => ({ status, body: { error: expect.any(String) } });
/** D4 to D6, D12, D15, D17, D26 and E4: what ends before anybody asks who it is. */
export const wireCases: readonly DoorCase[] = [
  { name: 'an empty id', ...badId('empty', { body: { sessionId: '' } }) },
  { name: 'an id that is too long', ...badId('too-long', { body: { sessionId: canary('a').padEnd(401, 'a') } }) },
  { name: 'an id with a character of no id', ...badId('invalid-character', { body: { sessionId: `${canary('id')}é` } }) },
  {
    name: 'such an id in the header',
    ...badId('invalid-character', { body: { input: 'x' }, headers: { 'x-session-id': `${canary('id')} x` } }),
  },
  {
    name: 'such an id of an operation',
    ...badId('invalid-character', { body: { op: 'session-transcript', sessionId: `${canary('id')} x` } }),
  },
  {
    name: 'such an id in a path of the API',
    ask: { path: `/v1/sessions/${canary('id')}%00/close`, body: {} },
    status: 400,
    body: { error: expect.any(String), code: 'ERR_INVALID_SESSION_ID', reason: 'invalid-character' },
    row: refused('ERR_INVALID_SESSION_ID', { door: 'api', op: 'session-close' }),
  },
  { name: 'an unknown operation, whatever else it says', ...badOp({ op: canary('op'), input: 'x', decision: true }) },
  { name: 'an operation that is null', ...badOp({ op: null, input: 'x' }) },
  { name: 'an operation without its operand', ...badOp({ op: 'artifact-get', sessionId: session }) },
  { name: 'an operation with a blank operand', ...badOp({ op: 'artifact-get', ref: '  ', sessionId: session }) },
  { name: 'no JSON', ask: { body: `{"input":"${canary('broken')}` }, ...uncoded(400), counted: 'unparseable-body' },
  { name: 'a key twice', ask: { body: `{"input":"${canary('twice')}","input":"x"}` }, ...uncoded(400), counted: 'unparseable-body' },
  {
    name: 'a body over 1 MiB',
    ask: { body: JSON.stringify({ input: canary('big').padEnd(1024 * 1024, 'x') }) },
    ...uncoded(413),
    counted: 'body-too-large',
  },
  {
    name: 'a path that nobody named',
    ask: { path: `/nowhere?token=${canary('query')}`, body: { input: canary('lost') } },
    status: 404,
    body: { error: 'There is no POST /nowhere here.' },
    counted: 'unrouted',
  },
  {
    name: 'a wrong method',
    ask: { method: 'PUT', body: { input: canary('put') } },
    status: 404,
    body: { error: 'There is no PUT /invoke here.' },
    counted: 'unrouted',
  },
  {
    name: 'a conversation that is no handshake',
    ask: { method: 'GET', path: '/conversation', body: '' },
    status: 404,
    body: { error: 'There is no GET /conversation here.' },
    counted: 'unrouted',
  },
  {
    name: 'bytes that are no HTTP',
    ask: { bytes: `${canary('bytes')}\r\n\r\n` },
    ...uncoded(400),
    headers: { connection: 'close' },
    counted: 'unreadable-request',
  },
  {
    name: 'a body that breaks off',
    ask: {
      bytes: `POST /invoke HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"input":"${canary('cut')}`,
    },
    ...uncoded(400),
    counted: 'unreadable-request',
  },
  {
    name: 'an expectation that nobody knows is none',
    ask: { headers: { expect: canary('expect') }, body: { input: 'x', sessionId: session } },
    status: 200,
    body: { output: 'x' },
    row: served({ session }),
  },
];
