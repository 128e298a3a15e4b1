import type { IncomingHttpHeaders } from 'node:http';
import { addressList } from './address-list.js';
import { parseHostPort } from './host-port.js';
import { isLoopback } from './loopback.js';

/** What is judged of who asks for metrics. */
export interface Scrape {
  readonly headers: IncomingHttpHeaders;
  /** The socket's address. */
  readonly from: string | undefined;
}

export interface ScrapeRefusal {
  readonly status: 403;
  readonly code: 'ERR_SCRAPE_NOT_ALLOWED';
  readonly error: string;
}

const refusal: ScrapeRefusal = {
  status: 403,
  code: 'ERR_SCRAPE_NOT_ALLOWED',
  error: 'Metrics are for this machine and for the addresses of the setting metrics.from, asked for directly and not through a proxy.',
};

const PROXIED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'];

/**
 * Who may read metrics (P8): they name no person, but how much goes on here is nobody else's business. Without identity, so this machine only,
 * by a name of this machine (a page in a browser can make its own name lead here), and the listed addresses. A proxy on this machine would
 * hand them to the world, so what came through one is refused.
 * @throws DoorledgerError `ERR_GUARD_CONFIG` for an entry that is no address
 */
export function scrapeRule(listed: readonly string[]): (scrape: Scrape) => ScrapeRefusal | undefined {
  const isListed = addressList('metrics.from', listed);
  return ({ headers, from }) => {
    if (PROXIED.some((name) => headers[name] !== undefined)) return refusal;
    if (isListed(from)) return undefined;
    const named = headers.host === undefined ? undefined : parseHostPort(headers.host);
    const isHere = from !== undefined && isLoopback(from) && named !== undefined && isLoopback(named.name.replace(/^\[(.*)\]$/, '$1'));
    return isHere ? undefined : refusal;
  };
}
