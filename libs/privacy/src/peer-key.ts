import { createHmac, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { DeploymentKey } from './deployment-key.js';
import { openBytes, sealBytes } from './seal.js';
import { KEY_BYTES, secretKey } from './secret.js';

/** One side of what two hosts say to each other. */
export interface PeerChannel {
  seal(text: string): Buffer;
  /** What the other side has sealed; undefined for anything else: a changed, repeated, left out or returned message. */
  open(sealed: Buffer): string | undefined;
}

/** What hosts of one deployment know each other by, and hide from everybody else what they say (L6). Derived from the deployment key. */
export class PeerKey {
  readonly #key: KeyObject;

  constructor({ peers }: Pick<DeploymentKey, 'peers'>) {
    this.#key = peers;
  }

  /** 64 hex that only a host of this deployment can make of this text. */
  sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }

  isSigned(text: string, signature: string): boolean {
    const [given, right] = [Buffer.from(signature), Buffer.from(this.sign(text))];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /** Under a key of its own for each hop: every message is bound to the side that says it and to its place among that side's messages. */
  channel(hopId: string, side: 'edge' | 'holder'): PeerChannel {
    const key = secretKey(Buffer.from(hkdfSync('sha256', this.#key, hopId, 'doorledger/hop', KEY_BYTES)));
    const other = side === 'edge' ? 'holder' : 'edge';
    let said = 0;
    let heard = 0;
    return {
      seal: (text) => sealBytes(key, Buffer.from(text), [side, String(said++)]),
      open: (sealed) => openBytes(key, sealed, [other, String(heard++)])?.toString('utf8'),
    };
  }
}
