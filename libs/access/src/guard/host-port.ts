import { isIPv6 } from 'node:net';

/** A host and a port as a `Host` header or a list of hosts names them. */
export interface HostPort {
  /** Lower case, without the dot at the end; IPv6 in brackets, in its shortest form. */
  readonly name: string;
  readonly port?: number;
}

const SHAPE = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(\d{1,5}))?$/i;
const MAX_UNITS = 260;

/** G7: undefined for everything that is not a name or an IP address with or without a port. */
export function parseHostPort(text: string): HostPort | undefined {
  if (text.length > MAX_UNITS) return undefined;
  const [, host, digits] = SHAPE.exec(text) ?? [];
  if (host === undefined) return undefined;
  const name = host.startsWith('[') ? shortestIPv6(host) : withoutDot(host.toLowerCase());
  if (name === undefined) return undefined;
  if (digits === undefined) return { name };
  const port = Number(digits);
  return port <= 65_535 ? { name, port } : undefined;
}

const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name);

const shortestIPv6 = (bracketed: string): string | undefined =>
  isIPv6(bracketed.slice(1, -1)) ? new URL(`http://${bracketed}`).hostname : undefined;
