import type { StoredRecord } from '../stored-record.js';

/** The one record that spent a decision of somebody else's ledger (N40). */
export interface DecisionSpend {
  /** Whose spend it is; null where nobody can read that, so that it is nobody's. */
  readonly claimId: string | null;
  readonly offset: number;
}

/** Grants have keys of their own on the same topic (N52), and no credential's ids may look like them. */
export const GRANT_NAMESPACE = 'grant';

/** No `/`: two namespaces can never write the same key. */
const NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;

export const isNamespace = (name: string): boolean => NAMESPACE.test(name) && name !== GRANT_NAMESPACE;

/** The key of everything about one id on the topic `spend`: one partition's order decides. `namespace` is one by `isNamespace`. */
export const decisionKey = (namespace: string, id: string): string => `${namespace}/${id}`;

/**
 * A record of the topic `spend` as a spend of its key; undefined for a grant's, and for a kind of a later release. What nobody can read spends
 * all the same (L8): no caller ever hears that it was theirs. Of the body only the claim's id is read, for ever.
 */
export function readDecisionSpend({ key, offset, decoded }: StoredRecord): DecisionSpend | undefined {
  if (key.startsWith(`${GRANT_NAMESPACE}/`)) return undefined;
  if (decoded.type === undefined) return { claimId: null, offset };
  if (decoded.type !== 'decision.spent') return undefined;
  const claimId = decoded.body?.data.claimId;
  return { claimId: typeof claimId === 'string' && claimId !== '' ? claimId : null, offset };
}

/** The fold of one key: its first record stands for ever, in whatever order the two come. */
export const firstSpend = (one: DecisionSpend | undefined, other: DecisionSpend | undefined): DecisionSpend | undefined =>
  one && other ? (one.offset <= other.offset ? one : other) : (one ?? other);
