import { BlockList, isIP } from 'node:net';
import { guardConfigError } from './guard-config-error.js';

/**
 * Tells of a socket's address whether it is in the list of the named setting (G10: `X-Forwarded-*` headers from it count). Entries are IP
 * addresses and CIDR blocks; an IPv4 entry also means the same address written as IPv6.
 * @throws DoorledgerError `ERR_GUARD_CONFIG`
 */
export function addressList(setting: string, entries: readonly string[]): (from: string | undefined) => boolean {
  if (entries.length === 0) return () => false;
  const listed = new BlockList();
  for (const entry of entries) add(listed, entry, setting);
  return (from) => {
    const address = from?.split('%', 1)[0] ?? '';
    const version = isIP(address);
    return version !== 0 && listed.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

const BLOCK = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i;

function add(listed: BlockList, entry: string, setting: string): void {
  const [, address = '', digits] = BLOCK.exec(entry) ?? [];
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  if (version === 0 || Number(digits ?? bits) > bits)
    throw guardConfigError(`${setting} takes IP addresses and blocks such as 10.0.0.0/8.`);
  listed.addSubnet(address, Number(digits ?? bits), version === 4 ? 'ipv4' : 'ipv6');
}
