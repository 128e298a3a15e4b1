export { ForwardedTurns, type ForwardedTurnsOptions } from './forwarded-turns.js';
export { Holders, type HeldToolSession } from './holders.js';
export { HopDoor, type HopDoorOptions } from './hop-door.js';
export type { HopWork } from './hop-work.js';
export { HOP_PATH, PassCheck } from './hop-pass.js';
export type { HostLife } from './host-life.js';
export { LiveHosts, type KnownHost } from './live-hosts.js';
export { Peers, type PeersOptions } from './peers.js';
export { readElsewhere } from './read-stream.js';
