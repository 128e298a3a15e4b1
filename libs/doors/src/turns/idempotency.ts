import { createHash } from 'node:crypto';
import type { References } from '@doorledger/privacy';
import type { Caller } from '../caller.js';
import { Refused } from '../refused.js';
import { failure } from '../wire/terminal.js';

/** What a turn is claimed with under the caller's idempotency key (D18). */
export interface ScopedIdempotency {
  readonly key: string;
  readonly body: string;
  /** Without a session: the turnId under which the same key always meets itself. */
  readonly turnId?: string;
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/**
 * A turn's idempotency, scoped to the caller and the session.
 * @throws Refused `ERR_INVALID_RUN_INPUT`: not a key, or nobody and nothing to scope it to
 */
export function idempotencyOf(
  given: string,
  body: string,
  { userRef }: Caller,
  sessionKey: string | undefined,
  references: References,
): ScopedIdempotency {
  if (!VISIBLE.test(given)) throw invalid('An Idempotency-Key is 1 to 255 visible characters.');
  if (sessionKey === undefined && userRef === undefined)
    throw invalid('An Idempotency-Key needs a session or a proven caller, whose request it names.');
  const scope = sessionKey ?? `person ${userRef}`;
  const key = references.idempotencyKey(scope, `${userRef ?? ''} ${given}`);
  return { key, body: references.idempotencyBody(scope, body), ...(sessionKey === undefined && { turnId: uuidOf(key) }) };
}

const invalid = (sentence: string): Refused => new Refused(failure('ERR_INVALID_RUN_INPUT', sentence));

/** A UUIDv8 (RFC 9562): the same for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
