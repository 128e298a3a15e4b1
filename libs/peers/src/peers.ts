import { currentTraceparent } from '@doorledger/contracts';
import type { PeerKey } from '@doorledger/privacy';
import { WebSocket } from 'ws';
import type { HostLife } from './host-life.js';
import type { HopAbort, HopAnswer, HopAsk } from './hop-message.js';
import { HOP_HEADER, HOP_PATH, writePass } from './hop-pass.js';
import { HopSocket, MAX_HOP_BYTES } from './hop-socket.js';

/** L6: past it the turn runs here. */
const LET_IN_WITHIN_MS = 1000;

export type Hop = HopSocket<HopAsk | HopAbort, HopAnswer>;

export interface PeersOptions {
  readonly key: PeerKey;
  readonly hostId: string;
  /** Where each host answers, by its id, as the configuration says: an address on the log is never used. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly now: () => number;
}

/** The other hosts of this deployment, as one of them reaches them. */
export class Peers {
  constructor(private readonly options: PeersOptions) {}

  has({ hostId }: HostLife): boolean {
    return hostId !== this.options.hostId && this.options.addresses.has(hostId);
  }

  /**
   * A hop to this very life of a host, once it has let this one in. Undefined where it did not within a second, because it is gone,
   * stands still, closes, or lives another life: nothing was asked of it, so that whatever was to be asked may run here.
   */
  async open(to: HostLife): Promise<Hop | undefined> {
    const { key, hostId, addresses, now } = this.options;
    const pass = writePass(key, hostId, to, now());
    const traceparent = currentTraceparent();
    const address = addresses.get(to.hostId)!.replace(/^http/, 'ws').replace(/\/$/, '');
    const socket = new WebSocket(`${address}${HOP_PATH}`, {
      headers: { [HOP_HEADER]: pass.text, ...(traceparent !== undefined && { traceparent }) },
      perMessageDeflate: false,
      maxPayload: MAX_HOP_BYTES,
    });
    const hop: Hop = new HopSocket(socket, key.channel(pass.id, 'edge'));
    const late = setTimeout(() => socket.terminate(), LET_IN_WITHIN_MS);
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('open', () => resolve(true)).once('close', () => resolve(false));
    });
    clearTimeout(late);
    return isOpen ? hop : undefined;
  }
}
