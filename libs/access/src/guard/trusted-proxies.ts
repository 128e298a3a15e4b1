import { BlockList, isIP } from 'node:net';
import { guardConfigError } from './guard-config-error.js';

/**
 * G10: tells of a socket's address whether `X-Forwarded-*` headers from it count. Entries are IP addresses and CIDR blocks; an IPv4
 * entry also means the same address written as IPv6.
 * @throws DoorledgerError `ERR_GUARD_CONFIG`
 */
export function trustedProxies(entries: readonly string[]): (from: string | undefined) => boolean {
  if (entries.length === 0) return () => false;
  const trusted = new BlockList();
  for (const entry of entries) add(trusted, entry);
  return (from) => {
    const address = from?.split('%', 1)[0] ?? '';
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

const BLOCK = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i;

function add(trusted: BlockList, entry: string): void {
  const [, address = '', digits] = BLOCK.exec(entry) ?? [];
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  if (version === 0 || Number(digits ?? bits) > bits)
    throw guardConfigError('guard.trustedProxies takes IP addresses and blocks such as 10.0.0.0/8.');
  trusted.addSubnet(address, Number(digits ?? bits), version === 4 ? 'ipv4' : 'ipv6');
}
