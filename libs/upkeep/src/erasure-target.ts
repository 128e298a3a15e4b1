import type { References } from '@doorledger/privacy';
import { UpkeepError } from './errors.js';

/** What is erased: a session, or a person with all of theirs. */
export type ErasureTarget = { readonly kind: 'session'; readonly ref: string } | { readonly kind: 'person'; readonly ref: string };

const REF = /^[0-9a-f]{32}$/;
const SESSION_ID = /^[!-~]{1,400}$/;

const howToErase =
  'Send one of {"session": "<session id>"}, with "tenant" where sessions have one, {"sessionRef": "<32 hex digits>"} and ' +
  '{"userRef": "<32 hex digits>"}, and nothing else.';

/** What an operator typed, as a reference. @throws UpkeepError `ERR_INVALID_QUERY` */
export function readErasure(fields: Readonly<Record<string, unknown>>, references: Pick<References, 'sessionRef'>): ErasureTarget {
  const { session, tenant, sessionRef, userRef, ...others } = fields;
  const named = [session, sessionRef, userRef].filter((one) => one !== undefined);
  const isTenant = tenant === undefined || (session !== undefined && typeof tenant === 'string' && tenant !== '');
  if (named.length === 1 && isTenant && Object.keys(others).length === 0) {
    if (typeof session === 'string' && SESSION_ID.test(session)) return { kind: 'session', ref: references.sessionRef(tenant, session) };
    if (typeof sessionRef === 'string' && REF.test(sessionRef)) return { kind: 'session', ref: sessionRef };
    if (typeof userRef === 'string' && REF.test(userRef)) return { kind: 'person', ref: userRef };
  }
  throw new UpkeepError('ERR_INVALID_QUERY', howToErase);
}
