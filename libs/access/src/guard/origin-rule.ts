import type { IncomingHttpHeaders } from 'node:http';
import { guardConfigError } from './guard-config-error.js';
import { parseHostPort, type HostPort } from './host-port.js';
import { parseOrigin, type Origin } from './origin.js';

/** What the browser rules look at. */
export interface FromBrowser {
  readonly headers: IncomingHttpHeaders;
  readonly isUpgrade: boolean;
  readonly host: HostPort | undefined;
  /** Whether the peer's `X-Forwarded-Host` counts (G10). */
  readonly isFromTrustedProxy: () => boolean;
}

/** Whether a request may come from the page that a browser says it comes from. */
export type OriginRule = (request: FromBrowser) => boolean;

/** Values of `Sec-Fetch-Site` that pass by themselves; any other, known or not, counts as cross-site. */
const NEAR = new Set(['same-origin', 'same-site', 'none']);

/**
 * G4, G5, G6. `origins` is the list of G5, or `any` to judge nothing; without one the origin must be the host that was asked.
 * @throws DoorledgerError `ERR_GUARD_CONFIG` for an empty list, and for an entry that is not exactly one origin
 */
export function originRule(origins: readonly string[] | 'any' | undefined): OriginRule {
  if (origins === 'any') return () => true;
  const listed = origins && new Set(origins.map(entryOf));
  if (listed?.size === 0) throw guardConfigError('guard.origins is empty: name the origins that may call, or leave it out.');
  return (request) => {
    const text = request.headers.origin;
    const site = request.headers['sec-fetch-site'];
    if (text === undefined) return site === undefined || (!request.isUpgrade && isNear(site));
    const origin = parseOrigin(text);
    if (!origin) return false;
    return listed ? listed.has(origin.text) : (site === undefined || isNear(site)) && isOwn(origin, request);
  };
}

const isNear = (site: string | readonly string[]): boolean => typeof site === 'string' && NEAR.has(site);

/** G4: the Host, or a host that a trusted proxy was asked for, with default ports spelled out. */
function isOwn(origin: Origin, { host, headers, isFromTrustedProxy }: FromBrowser): boolean {
  if (isSame(origin, host)) return true;
  const forwarded = headers['x-forwarded-host'];
  if (forwarded === undefined || !isFromTrustedProxy()) return false;
  return String(forwarded)
    .split(',')
    .some((entry) => isSame(origin, parseHostPort(entry.trim())));
}

/** The scheme that a Host without a port was asked by is not known; the origin's is the one it would have to be. */
const isSame = ({ host, port, standardPort }: Origin, asked: HostPort | undefined): boolean =>
  asked !== undefined && standardPort !== undefined && host === asked.name && port === (asked.port ?? standardPort);

function entryOf(entry: string): string {
  const origin = parseOrigin(entry);
  if (!origin)
    throw guardConfigError(
      'guard.origins takes exact origins such as https://app.example, without a path or a wildcard; `any` by itself turns the check off.',
    );
  return origin.text;
}
