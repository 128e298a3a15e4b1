import type { IncomingHttpHeaders } from 'node:http';
import { isJsonType } from '../guard/media-type.js';

export interface FromPage {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a browser says, where no page can make it lie, that a page of `ownOrigin` or its user asks: without that a cookie counts as not sent. What
 * changes something needs the proof itself, `Sec-Fetch-Site: same-origin` or, from a browser without it, our own `Origin`, and JSON; what only
 * reads must not say the contrary.
 */
export function isFromOwnPage({ method, headers }: FromPage, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (method === 'GET' || method === 'HEAD')
    return site === undefined ? origin === undefined || origin === ownOrigin : site === 'same-origin' || site === 'none';
  return (site === undefined ? origin === ownOrigin : site === 'same-origin') && isJsonType(headers['content-type']);
}
