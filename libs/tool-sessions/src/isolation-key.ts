import { createHash } from 'node:crypto';
import type { CallContext, Scope } from './call-context.js';

const ABSENT = '_';
const DIGEST_DIGITS = 12;

/**
 * The key under which calls of one scope share a tool session; undefined where the scope has none here, and then the call
 * is refused (T4). Tenant and principal stand in front of every name that a caller may choose (T2).
 * @throws TypeError for a field that is not a string; it does not quote the value.
 */
export function isolationKey(scope: Scope, context: CallContext): string | undefined {
  switch (scope) {
    case 'session':
      return below(personKey(context), 's', context.sessionId);
    case 'run':
      return below(personKey(context), 'r', context.runId);
    case 'call':
      return below(undefined, 'c', context.callId);
    case 'shutdown':
      return undefined;
  }
}

/**
 * The key of a registration of a tool in the host. A key that the tool gives stands below the scope's isolation key, and in
 * scope `shutdown`, which has none, below the person: so whatever a tool calls its things, two people never share one.
 */
export function registrationKey(scope: Scope, context: CallContext, given?: string): string | undefined {
  const isolation = isolationKey(scope, context);
  if (given === undefined || given === '') return isolation;
  const above = scope === 'shutdown' ? personKey(context) : isolation;
  return above === undefined ? undefined : below(above, 'k', given);
}

export const personKey = ({ tenant, principal }: CallContext): string => `t=${field(tenant)}/p=${field(principal)}`;

/** What a key is called in the process: the first 12 hex of its SHA-256 (T3). The log has an HMAC instead: names can be guessed. */
export const keyDigest = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, DIGEST_DIGITS);

function below(above: string | undefined, letter: string, name: string | undefined): string | undefined {
  const written = field(name);
  if (written === ABSENT) return undefined;
  return above === undefined ? `${letter}=${written}` : `${above}/${letter}=${written}`;
}

/** T1: injective over non-empty values, because `%` goes first and a lone `_` is kept for what is not there. */
function field(value: string | undefined): string {
  if (value === undefined || value === '') return ABSENT;
  if (typeof value !== 'string') throw new TypeError('A field of an isolation key must be a string.');
  if (value === ABSENT) return '%5F';
  return value.includes('%') || value.includes('/') ? value.replaceAll('%', '%25').replaceAll('/', '%2F') : value;
}
