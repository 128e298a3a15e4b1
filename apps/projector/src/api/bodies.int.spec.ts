import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeGuard } from '@doorledger/access';
import { ledgerApi, type LedgerApi } from '../testing/ledger-api.js';

const path = '/v1/webhooks/dead-letters/redeliver';

let api: LedgerApi;
beforeAll(async () => {
  const verify = async (token: string) => ({ principal: { issuer: 'https://issuer.example', subject: token, roles: [token] } });
  const guard = makeGuard({ bindHost: '127.0.0.1', contentType: true, trustedProxies: [] });
  api = await ledgerApi({ userRef: () => 'a1'.repeat(16) }, { verify }, guard);
});
afterAll(() => api.close());

async function post(headers: Record<string, string>, payload: string): Promise<unknown[]> {
  const { statusCode, body } = await api.app.inject({ method: 'POST', url: path, headers: { host: 'localhost', ...headers }, payload });
  const { code, error } = JSON.parse(body) as { code?: string; error: string };
  return [statusCode, code, error.length > 0];
}
const json = { 'content-type': 'application/json' };
const [auditor, operator] = ['auditor', 'operator'].map((role) => ({ ...json, authorization: `Bearer ${role}` }));

describe.each([
  ['what is no JSON', 'not json'],
  ['what is too large', JSON.stringify({ endpoint: 'x'.repeat(2 ** 21) })],
  ['what is good', '{"endpoint":"desk"}'],
])('D5, P1 and P7 judge before the body: %s', (_, payload) => {
  it.each([
    ['another host', { ...json, host: 'example.com' }, 421, 'ERR_HOST_NOT_ALLOWED'],
    ['another origin', { ...json, origin: 'https://example.com' }, 403, 'ERR_ORIGIN_NOT_ALLOWED'],
    ['a foreign page with no media type', { 'content-type': 'rubbish', origin: 'https://example.com' }, 403, 'ERR_ORIGIN_NOT_ALLOWED'],
    ['another media type', { 'content-type': 'text/plain' }, 415, 'ERR_UNSUPPORTED_MEDIA_TYPE'],
    ['what is no media type', { 'content-type': 'application/json, text/plain' }, 415, 'ERR_UNSUPPORTED_MEDIA_TYPE'],
    ['no media type', {}, 415, 'ERR_UNSUPPORTED_MEDIA_TYPE'],
    ['a stranger', json, 401, 'ERR_IDENTITY_NOT_VERIFIED'],
    ['who has not the role', auditor!, 403, 'ERR_ROLE_REQUIRED'],
  ])('of %s', async (_who, headers, status, code) => {
    expect(await post(headers as Record<string, string>, payload)).toEqual([status, code, true]);
  });
});

it.each([
  ['not json', 400, 'ERR_INVALID_QUERY'],
  ['{"endpoint":"a","endpoint":"b"}', 400, 'ERR_INVALID_QUERY'],
  ['[]', 400, 'ERR_INVALID_QUERY'],
  [JSON.stringify({ endpoint: 'x'.repeat(2 ** 17) }), 413, 'ERR_BODY_TOO_LARGE'],
])('P7 has a code for every body that an operator may not send: %.40s', async (payload, status, code) => {
  expect(await post(operator!, payload)).toEqual([status, code, true]);
});

it('G3 asks nobody for a body who may not send one', async () => {
  await api.app.listen(0, '127.0.0.1');
  const { port } = api.app.getHttpServer().address() as AddressInfo;
  const ask = async (authorization: string) => {
    const socket = connect(port, '127.0.0.1');
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      'content-type: application/json',
      'content-length: 3000000',
      'expect: 100-continue',
    ];
    socket.write([...head, `authorization: ${authorization}`, 'connection: close', '', ''].join('\r\n'));
    return text(socket);
  };
  const refused = await ask('Bearer auditor');
  expect([refused.split('\r\n')[0], refused.includes('connection: close')]).toEqual(['HTTP/1.1 403 Forbidden', true]);
});
