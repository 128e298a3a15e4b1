import { STATUS_CODES, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { bearerOf, bearerOfSubprotocols } from '@doorledger/access';
import { readAsked } from '../wire/asked.js';
import { bodyOf, uncoded, type Failure } from '../wire/terminal.js';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** C1: what a handshake lacks, if anything. */
export function handshakeProblem(headers: IncomingHttpHeaders): Failure | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return uncoded(400, 'A conversation begins with `Upgrade: websocket`.');
  if (headers['sec-websocket-version'] !== '13')
    return { ...uncoded(400, 'A conversation speaks version 13 of WebSocket.'), headers: { 'sec-websocket-version': '13' } };
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) return uncoded(400, 'A conversation begins with a Sec-WebSocket-Key of 16 bytes.');
  const offered = headers['sec-websocket-protocol']?.split(',').map((entry) => entry.trim()) ?? [];
  if (offered.every((entry) => TOKEN.test(entry)) && new Set(offered).size === offered.length) return undefined;
  return uncoded(400, 'The Sec-WebSocket-Protocol header is a list of different names.');
}

/** I2: the header's bearer, else the one beside the subprotocol. */
export const bearerOfHandshake = (headers: IncomingHttpHeaders): string | undefined =>
  bearerOf(headers.authorization) ?? bearerOfSubprotocols(headers['sec-websocket-protocol']).bearer;

/** C1: the session of the address, where neither header nor cookie names one. */
export function sessionOfQuery({ url = '' }: IncomingMessage): string | undefined {
  const at = url.indexOf('?');
  return at === -1 ? undefined : (new URLSearchParams(url.slice(at)).get('sessionId') ?? undefined);
}

/** D12, as a message without fields meets it. */
export function sessionRefused(sessionId: string | undefined): Failure | undefined {
  const asked = readAsked({}, sessionId);
  return 'refused' in asked ? asked.refused : undefined;
}

/** Answers instead of the 101, and ends the connection. */
export function refuseUpgrade(socket: Duplex, refused: Failure): void {
  const { status, headers } = refused;
  const body = JSON.stringify(bodyOf(refused));
  const fields = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}
