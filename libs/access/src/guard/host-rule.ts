import { guardConfigError } from './guard-config-error.js';
import { parseHostPort, type HostPort } from './host-port.js';
import { isLoopback } from './loopback.js';

/** G7, G8: which hosts a door answers to. */
export interface HostRule {
  /** False where every host is served: then a GET need not name one. */
  readonly hasList: boolean;
  readonly allows: (host: HostPort) => boolean;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * G8: without a list, a door on loopback answers to loopback's names on any port, and one elsewhere to every host.
 * @throws DoorledgerError `ERR_GUARD_CONFIG` for an empty list and for an entry that is no host
 */
export function hostRule(bindHost: string, hosts: readonly string[] | undefined): HostRule {
  const list = hosts ?? (isLoopback(bindHost) ? LOOPBACK : undefined);
  if (!list) return { hasList: false, allows: () => true };
  if (list.length === 0)
    throw guardConfigError('guard.hosts is empty, so no request could pass: name the hosts to serve, or leave it out.');
  const anyPort = new Set<string>();
  const onPort = new Set<string>();
  for (const entry of list) {
    const host = parseHostPort(entry);
    if (!host) throw guardConfigError('guard.hosts takes names and IP addresses, with or without a port, IPv6 in brackets.');
    if (host.port === undefined) anyPort.add(host.name);
    else onPort.add(`${host.name}:${host.port}`);
  }
  // A Host without a port means its scheme's own, and a door behind a proxy cannot tell which scheme that was.
  const allows = ({ name, port }: HostPort) =>
    anyPort.has(name) ||
    (onPort.size > 0 && (port === undefined ? onPort.has(`${name}:443`) || onPort.has(`${name}:80`) : onPort.has(`${name}:${port}`)));
  return { hasList: true, allows };
}
