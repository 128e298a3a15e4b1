import { broken, oddBody } from './bodies.js';
import { oddHeaderValues, type Chance } from './oddities.js';

/** Bytes for the door, and what may be said of them before they are sent. */
export interface OddRequest {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** Where it ends is not certain: nothing more can follow it on its connection. */
  readonly isLast: boolean;
  /** Exactly one place of the census is its own (E12). */
  readonly isPlaced: boolean;
}

/** What a caller may know. */
export interface Known {
  readonly tokens: readonly string[];
  readonly sessions: readonly string[];
}

const METHODS = ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'get', 'FLY'];
const PATHS = [
  '/',
  '/invoke/',
  '/INVOKE',
  '//invoke',
  '/invoke?input=x',
  '/invoke%2f',
  '/%zz',
  '/%c0%ae',
  '/health',
  '/ready',
  '/conversation',
  '/ping',
  '/v1/sessions',
  '/v1/sessions/x/close',
  '/v1/sessions/%00/timeline',
  '/v1/turns/x',
  '/v1/turns/00000000-0000-7000-8000-000000000000',
  '/v1/ingress?limit=1&limit=2',
  '/v1/census?by=a',
  '/v1/census/check?cursor=x',
  '/v1/log?__proto__=1',
  '/v1/operator/switch',
  '/v1/sessions?cursor=WzEsMiwzXQ',
  `/${'a'.repeat(3000)}`,
  '*',
  'http://localhost/invoke',
  'elsewhere.example:443',
];
const HEADERS = [
  'accept',
  'authorization',
  'connection',
  'content-encoding',
  'content-type',
  'cookie',
  'expect',
  'host',
  'idempotency-key',
  'last-event-id',
  'origin',
  'sec-fetch-site',
  'te',
  'traceparent',
  'upgrade',
  'x-amzn-bedrock-agentcore-runtime-user-id',
  'x-forwarded-host',
  'x-session-id',
  'x'.repeat(300),
];
/** What changes where a request ends, or whether its connection goes on. */
const FRAMING = new Set(['connection', 'expect', 'upgrade', 'te']);

type Header = [name: string, value: string];

/** The next request of chance: a good one, with a few things changed. */
export function oddRequest(chance: Chance, { tokens, sessions }: Known): OddRequest {
  const isInvoke = chance.in(0.75);
  const method = isInvoke || chance.in(0.4) ? 'POST' : chance.one(METHODS);
  const path = isInvoke ? chance.one(['/invoke', '/invoke', '/invocations']) : chance.one(PATHS);
  const body = oddBody(chance, sessions);
  const headers: Header[] = [
    ['Host', 'localhost'],
    ['Content-Type', 'application/json'],
  ];
  if (chance.in(0.5)) headers.push(['Authorization', `Bearer ${chance.one(tokens)}`]);
  if (chance.in(0.15)) headers.push(['Accept', 'text/event-stream']);
  if (chance.in(0.1)) headers.push(['Idempotency-Key', `key-${chance.below(50)}`]);
  if (chance.in(0.1)) headers.push(['X-Session-Id', chance.one(sessions)]);
  let isFramingSure = change(chance, headers);
  const sent = framed(chance, headers, body);
  isFramingSure &&= sent.isSure;
  const head = [`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
  const whole = Buffer.concat([Buffer.from(head, 'latin1'), sent.body]);
  const isBroken = chance.in(0.02);
  const bytes = isBroken ? broken(chance, whole) : whole;
  return {
    bytes,
    isHead: bytes.subarray(0, 5).toString('latin1') === 'HEAD ',
    isLast: isBroken || !isFramingSure,
    isPlaced: !isBroken && isFramingSure && isInvoke,
  };
}

/** Gives some headers odd values, again or anew; false where that may change where the request ends. */
function change(chance: Chance, headers: Header[]): boolean {
  let isSure = true;
  for (let times = chance.in(0.5) ? 0 : 1 + chance.below(3); times > 0; times--) {
    const name = chance.one(HEADERS);
    const value = chance.one(oddHeaderValues);
    if (FRAMING.has(name) || hasControls(value)) isSure = false;
    const at = headers.findIndex(([known]) => known.toLowerCase() === name);
    if (at === -1 || chance.in(0.3)) headers.push([name, value]);
    else if (chance.in(0.3)) headers.splice(at, 1);
    else headers[at] = [headers[at]![0], value];
  }
  // Without exactly one Host there is no HTTP/1.1 request.
  return isSure && headers.filter(([name]) => name.toLowerCase() === 'host').length === 1;
}

const hasControls = (value: string): boolean => [...value].some((unit) => (unit < ' ' && unit !== '\t') || unit === '\x7f');

/** Adds what says how long the body is: mostly the truth. */
function framed(chance: Chance, headers: Header[], body: Buffer): { body: Buffer; isSure: boolean } {
  const kind = chance.below(100);
  if (kind >= 12) {
    headers.push(['Content-Length', String(body.length)]);
    return { body, isSure: true };
  }
  if (kind < 4) {
    headers.push(['Transfer-Encoding', 'chunked']);
    const cut = chance.below(body.length + 1);
    return { body: Buffer.concat([chunk(body.subarray(0, cut)), chunk(body.subarray(cut)), Buffer.from('0\r\n\r\n')]), isSure: true };
  }
  if (kind < 6) headers.push(['Transfer-Encoding', chance.one(['gzip', 'chunked, chunked', 'identity', ' chunked', 'chunked;x'])]);
  if (kind < 8) headers.push(['Content-Length', String(body.length)], ['Content-Length', String(chance.below(5))]);
  else
    headers.push([
      'Content-Length',
      String(chance.one([0, body.length + 1 + chance.below(50), Math.floor(body.length / 2), 1e12, -1, '1x'])),
    ]);
  if (kind < 5) return { body: Buffer.concat([chunk(body), Buffer.from('zz\r\n')]), isSure: false };
  return { body, isSure: false };
}

const chunk = (bytes: Buffer): Buffer =>
  bytes.length === 0 ? bytes : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
