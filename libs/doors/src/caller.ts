import type { References } from '@doorledger/privacy';
import type { Identified } from '@doorledger/access';
import type { Principal } from '@doorledger/access';
import type { Decider, Party } from '@doorledger/consent';

/** Who a request is served as, in the references that facts may carry (O8). */
export interface Caller {
  /** A verifier judges at this door: sessions are served to their owners only (O2). */
  readonly isVerified: boolean;
  /** The proven person; absent for anonymous callers and at a door without a verifier. */
  readonly principal?: Principal;
  readonly userRef?: string;
  /** Session ids are scoped to it (O1). */
  readonly tenant?: string;
  readonly tenantRef?: string;
  /** Epoch ms at which the credential ends; absent for one that does not. */
  readonly expiresAt?: number;
}

/** Whom identity let in. */
export function callerOf(identified: Extract<Identified, { kind: 'unchecked' | 'anonymous' | 'proven' }>, references: References): Caller {
  if (identified.kind !== 'proven') return { isVerified: identified.kind === 'anonymous' };
  const { principal, expiresAt } = identified;
  const { tenant } = principal;
  return {
    isVerified: true,
    principal,
    userRef: references.userRef(principal),
    ...(tenant !== undefined && { tenant, tenantRef: references.tenantRef(tenant) }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Who asks, as an approval is bound to it (N1). */
export const partyOf = ({ issuer, tenant, subject }: Principal): Party => ({ issuer, ...(tenant !== undefined && { tenant }), subject });

/** Who decides, as policies judge it (N50). At a door that checks nobody every session is everybody's (P1). */
export const deciderOf = ({ isVerified, principal, userRef }: Caller): Decider & { readonly userRef?: string } => ({
  ...(principal && partyOf(principal)),
  roles: principal?.roles ?? [],
  ...(!isVerified && { ownsSession: true }),
  ...(userRef !== undefined && { userRef }),
});

/** Among callers whom nobody can tell apart, what is nobody's is no more one's than another's (O2). */
export const isOwner = (owner: string | null, { userRef, isVerified }: Caller): boolean =>
  userRef === undefined ? !isVerified && owner === null : owner === userRef;

/** Operators of the tenant that something is of, too (P1). `tenantRef`: null for what is of none. */
export const operatesOn = (caller: Caller, tenantRef: string | null): boolean =>
  isOperator(caller) ||
  (caller.principal?.roles.includes('operator') === true && caller.tenantRef !== undefined && caller.tenantRef === tenantRef);

/** Operators, and everybody at a door that checks nobody. Where there are tenants, an operator of them all holds `*` (P1). */
export const isOperator = ({ isVerified, principal, tenant }: Caller): boolean =>
  !isVerified || (principal?.roles.includes('operator') === true && (tenant === undefined || tenant === '*'));
