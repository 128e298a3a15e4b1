/** Who a caller was proven to be. The person is the triple (issuer, tenant, subject), compared whole (I9). */
export interface Principal {
  readonly issuer: string;
  readonly tenant?: string;
  readonly subject: string;
  /** Names from the roles claim, as the issuer spells them; those that mean something are in spec 7 (P1). */
  readonly roles: readonly string[];
  /** Whose ids a service spends (N40), as the issuer spells it. */
  readonly namespace?: string;
  /** A name to show. */
  readonly name?: string;
}

/**
 * I5: what of a verifier's answer counts, copied: nothing else it holds travels further (I9). Undefined for an answer that names nobody,
 * or a tenant that is empty.
 */
export function principalOf(answer: unknown): Principal | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { issuer, tenant, subject, roles, namespace, name } = answer as Record<string, unknown>;
  if (!isNamed(issuer) || !isNamed(subject) || !(tenant === undefined || isNamed(tenant))) return undefined;
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string')) return undefined;
  return {
    issuer,
    subject,
    roles: [...roles],
    ...(tenant !== undefined && { tenant }),
    ...(isNamed(namespace) && { namespace }),
    ...(isNamed(name) && { name }),
  };
}

const isNamed = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
