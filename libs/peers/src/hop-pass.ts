import { randomUUID } from 'node:crypto';
import type { PeerKey } from '@doorledger/privacy';
import type { HostLife } from './host-life.js';

/** The mark of a hop, in its handshake; anywhere else it says nothing. */
export const HOP_HEADER = 'x-doorledger-hop';
export const HOP_PATH = '/v1/hops';

/** Hosts' clocks may differ so much; a pass is good for one hop within it. */
const GOOD_FOR_MS = 60_000;

/** What one host is let in by at another one, once. */
export interface HopPass {
  readonly id: string;
  readonly from: string;
  /** The very life it is meant for: it lets nobody in anywhere else, nor after a restart. */
  readonly to: HostLife;
  /** Epoch ms. */
  readonly at: number;
}

const signedText = (payload: string): string => `GET ${HOP_PATH} ${payload}`;

export function writePass(key: PeerKey, from: string, to: HostLife, now: number): { readonly id: string; readonly text: string } {
  const id = randomUUID();
  const payload = Buffer.from(JSON.stringify({ id, from, to, at: now } satisfies HopPass)).toString('base64url');
  return { id, text: `${payload}.${key.sign(signedText(payload))}` };
}

/** Reads the passes of a host's life, each once. */
export class PassCheck {
  /** Ids that were used, oldest first, with the time up to which they must be remembered. */
  readonly #used = new Map<string, number>();

  constructor(
    private readonly key: PeerKey,
    private readonly life: HostLife,
    private readonly now: () => number,
  ) {}

  /** How many used passes are remembered, for tests. */
  get remembered(): number {
    return this.#used.size;
  }

  /** The pass, if it is one of ours, for this life, in time, and new. */
  accept(text: string | undefined): HopPass | undefined {
    const [payload = '', signature = ''] = text?.split('.') ?? [];
    if (!this.key.isSigned(signedText(payload), signature)) return undefined;
    const pass = JSON.parse(Buffer.from(payload, 'base64url').toString()) as HopPass;
    const now = this.now();
    for (const [id, until] of this.#used) {
      if (until >= now) break;
      this.#used.delete(id);
    }
    const isMeant = pass.to.hostId === this.life.hostId && pass.to.bootId === this.life.bootId;
    if (!isMeant || Math.abs(now - pass.at) > GOOD_FOR_MS || this.#used.has(pass.id)) return undefined;
    this.#used.set(pass.id, now + 2 * GOOD_FOR_MS);
    return pass;
  }
}
