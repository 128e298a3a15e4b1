import { isGatedCall, type GatedCall } from './call.js';
import { tryFaithfulCopy } from './faithful-copy.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';
import { requestIdOf } from './mint.js';

/** What binds a pause to its request (N7). Private: the nonce is in no public fact, answer or log line. */
export interface PendingRequest {
  /** 64 lower-case hex. */
  readonly id: string;
  /** 32 lower-case hex. */
  readonly nonce: string;
  /** The identity of the log it was minted under (K8). */
  readonly ledger: string;
}

/** A call that waits for a decision, as the paused state keeps it. */
export interface PausedRequest {
  readonly pending: PendingRequest;
  readonly call: GatedCall;
}

const VERSION = 1;

/** The JSON that is sealed into the paused state. */
export const encodePausedRequest = ({ pending, call }: PausedRequest): JsonObject => ({
  version: VERSION,
  id: pending.id,
  nonce: pending.nonce,
  ledger: pending.ledger,
  call: call as GatedCall & JsonObject,
});

/**
 * Reads what `encodePausedRequest` wrote, detached and deeply frozen. Never throws: what cannot be read is `undefined`, and a
 * decision on it is refused as `request-not-recorded` (N13).
 */
export function readPausedRequest(stored: unknown): PausedRequest | undefined {
  const copy = tryFaithfulCopy(stored);
  if (!isJsonObject(copy) || copy.version !== VERSION) return undefined;
  const { id, nonce, ledger, call } = copy;
  if (!isHex(id, 64) || !isHex(nonce, 32) || typeof ledger !== 'string' || !isGatedCall(call)) return undefined;
  return Object.freeze({ pending: Object.freeze({ id, nonce, ledger }), call });
}

/** Whether the recorded id is the one this very call was minted under; asked again with the bytes handed to the tool (N5). */
export const isCommitted = ({ pending, call }: PausedRequest): boolean =>
  requestIdOf(call, Buffer.from(pending.nonce, 'hex')) === pending.id;

const isHex = (value: Json | undefined, digits: number): value is string =>
  typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
