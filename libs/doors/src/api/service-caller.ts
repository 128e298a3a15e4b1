import { isNamespace } from '@doorledger/event-log';
import type { Caller } from '../caller.js';
import { Refused } from '../refused.js';
import { failure } from '../wire/terminal.js';

/** Of everybody at a door that checks nobody (P1). */
const OPEN = 'default';

/** As a claim spells it: without the sign that a tenant's namespaces are told by. */
const CLAIMED = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * P1, N40: the namespace of a service's credential, apart for each tenant.
 * @throws Refused 403 for whom the role `service` was not given, or no namespace
 */
export function namespaceOf({ isVerified, principal, tenantRef }: Caller): string {
  if (!isVerified) return OPEN;
  if (!principal?.roles.includes('service')) throw refused('This is for services: the token has to name the role "service".');
  const { namespace } = principal;
  if (namespace === undefined)
    throw refused('The token names no namespace to spend in. The setting oidc.namespaceClaim says which claim does.');
  const whole = tenantRef === undefined ? namespace : `${tenantRef}:${namespace}`;
  if (!CLAIMED.test(namespace) || !isNamespace(whole))
    throw refused('The namespace of the token cannot be used: it has 1 to 64 letters, digits, ".", "_" and "-", and is not "grant".');
  return whole;
}

const refused = (sentence: string): Refused => new Refused(failure('ERR_ROLE_REQUIRED', sentence));
