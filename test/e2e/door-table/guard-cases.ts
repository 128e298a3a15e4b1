import { canary } from './canary.js';
import { early, served, type Ask, type DoorCase, type ExpectedRow } from './door-case.js';

const said = { input: canary('guarded') };
const crossSite = (errorCode: string) => early(errorCode, 'cross-site-refused');
const wrongHost: Omit<DoorCase, 'name' | 'ask'> = { status: 421, body: 'ERR_HOST_NOT_ALLOWED', row: crossSite('ERR_HOST_NOT_ALLOWED') };
const wrongOrigin: typeof wrongHost = { status: 403, body: 'ERR_ORIGIN_NOT_ALLOWED', row: crossSite('ERR_ORIGIN_NOT_ALLOWED') };
const wrongType: typeof wrongHost = { status: 415, body: 'ERR_UNSUPPORTED_MEDIA_TYPE', row: crossSite('ERR_UNSUPPORTED_MEDIA_TYPE') };
const passes: typeof wrongHost = { status: 200, body: { output: said.input }, row: served({ session: 'minted' }) };

const foreign = `https://${canary('page')}.example`;
const with_ = (headers: Ask['headers'], more: Ask = {}): Ask => ({ body: said, headers, ...more });

/** G1, G2, G4, G6 to G8 and G10 at the request door: ann asks from somewhere. */
export const guardCases: readonly DoorCase[] = [
  { name: 'a foreign host', ask: with_({ host: `${canary('host')}.example` }), ...wrongHost },
  { name: 'a host that is none', ask: with_({ host: `[::1${canary('host')}` }), ...wrongHost },
  { name: 'no host at all', ask: with_({ host: null }), ...wrongHost },
  { name: 'two hosts', ask: with_({ host: ['localhost', `${canary('host')}.example`] }), ...wrongHost },
  {
    name: 'a foreign host on a read, too',
    ask: { method: 'GET', path: '/v1/turns/x', headers: { host: `${canary('host')}.example` } },
    ...wrongHost,
  },
  { name: 'a name of this machine in capitals, with a dot and any port', ask: with_({ host: 'LOCALHOST.:1' }), ...passes },
  { name: 'an address of this machine in brackets', ask: with_({ host: '[::1]:1' }), ...passes },
  {
    name: 'a foreign host at the health check',
    ask: { method: 'GET', path: '/health', headers: { host: 'elsewhere.example' } },
    status: 200,
    body: { status: 'ok', uptimeMs: expect.any(Number) },
  },
  { name: 'a foreign page', ask: with_({ origin: foreign }), ...wrongOrigin },
  { name: 'a page without an origin', ask: with_({ origin: 'null' }), ...wrongOrigin },
  { name: 'an origin that is none', ask: with_({ origin: canary('origin') }), ...wrongOrigin },
  { name: 'two origins', ask: with_({ origin: ['http://localhost', foreign], host: 'localhost' }), ...wrongOrigin },
  { name: 'a page of the host itself, its port spelled out', ask: with_({ host: 'localhost', origin: 'http://localhost:80' }), ...passes },
  {
    name: 'a page of the host that a trusted proxy was asked for',
    ask: with_({ origin: foreign, 'x-forwarded-host': new URL(foreign).host }),
    ...passes,
  },
  { name: 'a cross-site fetch', ask: with_({ 'sec-fetch-site': 'cross-site' }), ...wrongOrigin },
  { name: 'a fetch from nobody knows where', ask: with_({ 'sec-fetch-site': canary('site') }), ...wrongOrigin },
  { name: 'a fetch of the same site', ask: with_({ 'sec-fetch-site': 'same-site' }), ...passes },
  { name: 'a form', ask: with_({ 'content-type': 'application/x-www-form-urlencoded' }), ...wrongType },
  { name: 'a cousin of JSON', ask: with_({ 'content-type': `application/${canary('type')}+json` }), ...wrongType },
  { name: 'two types in one line', ask: with_({ 'content-type': 'application/json, text/plain' }), ...wrongType },
  { name: 'no type', ask: with_({ 'content-type': null }), ...wrongType },
  { name: 'JSON with a character set', ask: with_({ 'content-type': 'Application/JSON; charset=utf-8' }), ...passes },
  {
    name: 'the host before the origin before the type',
    ask: with_({ host: 'elsewhere.example', origin: foreign, 'content-type': 'text/plain' }),
    ...wrongHost,
  },
  { name: 'the origin before the type', ask: with_({ origin: foreign, 'content-type': 'text/plain' }), ...wrongOrigin },
  { name: 'the type before the token', ask: with_({ 'content-type': 'text/plain' }, { as: 'unverifiable' }), ...wrongType },
  {
    name: 'a body that waits to be asked for',
    ask: { headers: { expect: '100-continue', 'content-type': 'text/plain', 'content-length': '2' }, body: '' },
    ...wrongType,
    headers: { connection: 'close' },
  },
  {
    name: 'a preflight of its own page',
    ask: {
      method: 'OPTIONS',
      headers: { host: 'localhost', origin: 'http://localhost', 'access-control-request-headers': 'content-type' },
      body: '',
    },
    status: 204,
    body: '',
    headers: { 'access-control-allow-origin': 'http://localhost' },
    counted: 'preflight',
  },
  { name: 'a preflight of a foreign page', ask: { method: 'OPTIONS', headers: { origin: foreign }, body: '' }, ...wrongOrigin },
];

const atHandshake = (of: typeof wrongHost, name: string, headers: Ask['headers']): DoorCase => ({
  ...of,
  name: `a conversation: ${name}`,
  ask: { isUpgrade: true, headers },
  headers: { connection: 'close' },
  row: { ...(of.row as ExpectedRow), door: 'conversation' },
});

/** G1, G4 and G6 before the 101; no content type is judged there (G2). */
export const handshakeGuardCases: readonly DoorCase[] = [
  atHandshake(wrongHost, 'a foreign host', { host: `${canary('host')}.example` }),
  atHandshake(wrongHost, 'no host', { host: null }),
  atHandshake(wrongOrigin, 'a foreign page', { origin: foreign }),
  atHandshake(wrongOrigin, 'a cross-site page that is its own', {
    host: 'localhost',
    origin: 'http://localhost',
    'sec-fetch-site': 'cross-site',
  }),
  atHandshake(wrongOrigin, 'fetch metadata without an origin', { 'sec-fetch-site': 'same-origin' }),
];
