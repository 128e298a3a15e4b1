import type { JWTPayload } from 'jose';
import { claimAt } from './claim-at.js';
import type { Principal } from './principal.js';

/** An issuer whose tokens a door takes (I10). */
export interface IssuerSettings {
  /** Exactly as tokens name it in `iss`. */
  readonly issuer: string;
  /** At least one; a token is for this door if it names any of them in `aud`. */
  readonly audiences: readonly string[];
  /** Where its keys are; undefined to ask the issuer (`<issuer>/.well-known/openid-configuration`). */
  readonly jwksUri?: string;
  /** Claim that names the tenant. Where it is set, a token without it is refused: nobody falls out of their tenant into none. */
  readonly tenantClaim?: string;
  /** Claim that holds the roles: a list of texts, or one text with spaces between. A token without it has no roles. */
  readonly rolesClaim?: string;
  /** Claim that names the namespace a service spends in (N40). A token without it has none. */
  readonly namespaceClaim?: string;
}

/** Who verified claims name. What is empty or of another type stays so, for I5 to judge. */
export function claimedPrincipal(claims: JWTPayload, { issuer, tenantClaim, rolesClaim, namespaceClaim }: IssuerSettings): Principal {
  return {
    issuer,
    ...(tenantClaim !== undefined && { tenant: textOr(claimAt(claims, tenantClaim), '') }),
    subject: textOr(claims.sub, ''),
    roles: rolesClaim === undefined ? [] : rolesIn(claimAt(claims, rolesClaim)),
    ...(namespaceClaim !== undefined && namespaceIn(claimAt(claims, namespaceClaim))),
    ...(typeof claims.name === 'string' && { name: claims.name }),
  };
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

const namespaceIn = (claim: unknown) => (typeof claim === 'string' ? { namespace: claim } : {});

function rolesIn(claim: unknown): string[] {
  const names = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))];
}
