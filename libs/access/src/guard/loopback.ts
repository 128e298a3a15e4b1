import { isIPv4 } from 'node:net';

/** Whether an address that is listened on can be reached from this machine only. */
export function isLoopback(bindHost: string): boolean {
  const host = bindHost.toLowerCase().replace(/^::ffff:/, '');
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
