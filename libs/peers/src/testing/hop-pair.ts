import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Agent } from '@doorledger/agent';
import { TurnStreams } from '@doorledger/doors';
import { PeerKey } from '@doorledger/privacy';
import { TurnHosts } from '../../../turns/src/testing/turn-host.js';
import { ForwardedTurns, HopDoor, PassCheck, Peers, type HostLife } from '../index.js';

export const holder: HostLife = { hostId: 'holder', bootId: '00000000-0000-4000-8000-000000000001' };

/** Two hosts on one log: an edge whose sessions are all held by the other one. */
export async function hopPair(agentOf: (host: 'edge' | 'holder') => Agent, { abandonedAfterMs = 60_000 } = {}) {
  const hosts = await TurnHosts.open();
  const [edge, there] = await Promise.all([hosts.host(agentOf('edge')), hosts.host(agentOf('holder'))]);
  const key = new PeerKey({ peers: createSecretKey(Buffer.alloc(32, 5)) });
  const streams = new TurnStreams({ abandonedAfterMs, keptMs: 60_000 });
  const strangers: string[] = [];
  const reported: unknown[] = [];
  const state = { isServing: true };
  const passes = new PassCheck(key, holder, Date.now);
  const door = new HopDoor({
    work: () => (state.isServing ? { key, passes, runner: there.runner, view: there.view } : undefined),
    streams,
    onStranger: () => strangers.push('stranger'),
    report: (error) => {
      reported.push(error);
      return 'reference';
    },
  });
  const server: Server = createServer();
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket);
    door.upgrade(request, socket, head);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peersAt = (address: string) => new Peers({ key, hostId: 'edge', addresses: new Map([[holder.hostId, address]]), now: Date.now });
  const turnsAt = (address: string, to: HostLife = holder) =>
    new ForwardedTurns({ here: edge.runner, view: edge.view, holderOf: () => to, peers: peersAt(address) });
  return {
    hosts,
    edge,
    there,
    key,
    door,
    url,
    streams,
    strangers,
    reported,
    state,
    turns: turnsAt(url),
    turnsAt,
    peers: peersAt(url),
    /** Cuts every hop, as a host does that is gone. */
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await hosts.close();
    },
  };
}

export type HopPair = Awaited<ReturnType<typeof hopPair>>;
