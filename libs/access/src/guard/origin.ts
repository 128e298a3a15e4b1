/** A web origin that has a host: scheme, host and port of whoever made a browser send a request. */
export interface Origin {
  /** One spelling for each origin, for lists of them. */
  readonly text: string;
  /** With brackets around IPv6, without a dot at the end. */
  readonly host: string;
  /** The scheme's own where none is written. */
  readonly port: number;
  /** 80 or 443; undefined for a scheme that no web server is asked by. */
  readonly standardPort: number | undefined;
}

const SHAPE = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\*,%]+$/i;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Undefined for `null`, `*`, lists, and everything with a user, a path, a query or a fragment. */
export function parseOrigin(text: string): Origin | undefined {
  if (!SHAPE.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, host, hostname, port } = new URL(text);
  if (!hostname) return undefined;
  const standardPort = DEFAULT_PORTS[protocol];
  return {
    text: `${protocol}//${host}`.toLowerCase(),
    host: hostname.endsWith('.') ? hostname.slice(0, -1) : hostname,
    port: port === '' ? (standardPort ?? 0) : Number(port),
    standardPort,
  };
}
