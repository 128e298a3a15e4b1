import type { IncomingHttpHeaders } from 'node:http';
import { addressList } from './address-list.js';
import { parseHostPort } from './host-port.js';
import { hostRule } from './host-rule.js';
import { isJsonType } from './media-type.js';
import { originRule } from './origin-rule.js';

/** What the guard sees of a request: its head, and where the socket comes from. */
export interface Guarded {
  readonly method: string;
  /** A WebSocket handshake. */
  readonly isUpgrade: boolean;
  /** `/health` and `/ready`: who reads them may name any host (G1). */
  readonly isProbe: boolean;
  readonly headers: IncomingHttpHeaders;
  /** The socket's address; undefined for one that has none. */
  readonly from: string | undefined;
  /** Names and values as they came: a header that stands twice is no header to trust, and `headers` hides the second. */
  readonly rawHeaders: readonly string[];
}

export interface GuardOptions {
  /** The address that is listened on. */
  readonly bindHost: string;
  /** G7, G8 */
  readonly hosts?: readonly string[];
  /** G4 without one, G5 with one */
  readonly origins?: readonly string[] | 'any';
  /** G2: whether content types are judged. */
  readonly contentType: boolean;
  /** G10: IP addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[];
}

/** Why the guard turns a request away: an answer's status, code and sentence. */
export interface GuardRefusal {
  readonly status: 421 | 403 | 415;
  readonly code: 'ERR_HOST_NOT_ALLOWED' | 'ERR_ORIGIN_NOT_ALLOWED' | 'ERR_UNSUPPORTED_MEDIA_TYPE';
  readonly error: string;
}

const wrongHost: GuardRefusal = {
  status: 421,
  code: 'ERR_HOST_NOT_ALLOWED',
  error: 'The Host header names no host that this door serves (setting guard.hosts).',
};
const wrongOrigin: GuardRefusal = {
  status: 403,
  code: 'ERR_ORIGIN_NOT_ALLOWED',
  error: 'A browser sent this from a page whose origin may not call this door (setting guard.origins).',
};
const wrongType: GuardRefusal = {
  status: 415,
  code: 'ERR_UNSUPPORTED_MEDIA_TYPE',
  error: 'Send content-type: application/json (setting guard.contentType).',
};

/**
 * G1: the refusal of a request, or undefined for one that passes. Host first (421), then origin and fetch metadata (403), then content
 * type (415); reads the head only, so a door asks it before the body (G3) and before anybody's token is looked at. A door answers a preflight
 * by asking for the method the preflight names, with the content type it announces (G9).
 * @throws DoorledgerError `ERR_GUARD_CONFIG` at start-up for lists that cannot be meant (G5, G8, G10)
 */
export function makeGuard(options: GuardOptions): (request: Guarded) => GuardRefusal | undefined {
  const hosts = hostRule(options.bindHost, options.hosts);
  const mayCall = originRule(options.origins);
  const isTrusted = addressList('guard.trustedProxies', options.trustedProxies);
  return (request) => {
    const { headers, isUpgrade, rawHeaders } = request;
    const isJudged = isUpgrade || !isReading(request.method);
    if (!isJudged && (request.isProbe || !hosts.hasList)) return undefined;
    const repeated = repeatedHeaders(rawHeaders);
    const host = headers.host === undefined || repeated.host ? undefined : parseHostPort(headers.host);
    if (!host || !hosts.allows(host)) return wrongHost;
    if (!isJudged) return undefined;
    if (repeated.origin || !mayCall({ headers, isUpgrade, host, isFromTrustedProxy: () => isTrusted(request.from) })) return wrongOrigin;
    if (options.contentType && !isUpgrade && (repeated.type || !isJsonType(headers['content-type']))) return wrongType;
    return undefined;
  };
}

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

interface Repeated {
  readonly host: boolean;
  readonly origin: boolean;
  readonly type: boolean;
}

/** Node keeps the first `host` and `content-type` of several, and joins several `origin`s. */
function repeatedHeaders(rawHeaders: readonly string[]): Repeated {
  let hosts = 0;
  let origins = 0;
  let types = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 6 && name.toLowerCase() === 'origin') origins++;
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types++;
  }
  return { host: hosts > 1, origin: origins > 1, type: types > 1 };
}
