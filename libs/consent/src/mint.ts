import { createHash } from 'node:crypto';
import { canonicalOf } from './canonical-json.js';
import { boundCall, type GatedCall, type UnboundCall } from './call.js';
import type { Json } from './json.js';

const VERSION = Buffer.from('doorledger.consent.v1\0', 'latin1');
const NONCE_BYTES = 16;

export interface MintedRequest {
  /** 64 lower-case hex (N2). */
  readonly requestId: string;
  /** Detached and deeply frozen: what is shown, stored and run (N5). */
  readonly call: GatedCall;
}

/**
 * A request for one exact call.
 * @param nonce 16 random bytes, fresh for each pause (N6); they stay in the private paused state (N2).
 * @throws UnbindableError for a call JSON cannot write down faithfully (N4).
 */
export function mint(call: UnboundCall, nonce: Uint8Array): MintedRequest {
  const bound = boundCall(call);
  return { requestId: requestIdOf(bound, nonce), call: bound };
}

/** N2: SHA-256("doorledger.consent.v1" ‖ 0x00 ‖ nonce ‖ UTF-8(canonicalJson(call))) of a bound call. */
export function requestIdOf(call: GatedCall, nonce: Uint8Array): string {
  if (nonce.length !== NONCE_BYTES) throw new RangeError(`A nonce is ${NONCE_BYTES} bytes, not ${nonce.length}.`);
  return createHash('sha256')
    .update(VERSION)
    .update(nonce)
    .update(canonicalOf(call as GatedCall & Json), 'utf8')
    .digest('hex');
}
