import type { DoorledgerConfig } from './doorledger-config.js';
import { PEER } from './peer-list.js';

/** Where each other host answers, by its id (L6); none on the embedded log, which has one host. */
export function peersOf({ peers = [], hostId, log }: Pick<DoorledgerConfig, 'peers' | 'hostId' | 'log'>): ReadonlyMap<string, string> {
  if (log !== 'kafka') return new Map();
  const addresses = peers.map((peer) => PEER.exec(peer)!.slice(1) as [string, string]);
  return new Map(addresses.filter(([id]) => id !== hostId));
}

export function hasPeerTwice({ peers = [] }: Pick<DoorledgerConfig, 'peers'>): boolean {
  return new Set(peers.map((peer) => peer.split('=')[0])).size < peers.length;
}
