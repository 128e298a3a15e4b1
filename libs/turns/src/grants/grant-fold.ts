import type { FactData } from '@doorledger/contracts';
import type { GrantRecord } from '@doorledger/ledger';

/** What a grant was made for. `createdAt`: log timestamp, epoch ms. */
export type GrantTerms = FactData<'grant.created'> & { readonly createdAt: number };

/** A grant as its records in log order leave it. */
export interface GrantState {
  /** Undefined before it was made. */
  readonly terms?: GrantTerms;
  readonly isRevoked: boolean;
  /** Ids of standing uses. */
  readonly uses: ReadonlySet<string>;
  /** Uses that cannot be read: each takes the place of one. */
  readonly unreadable: number;
  /** The first offset that is not in this state. */
  readonly next: number;
}

export type GrantVerdict = 'stands' | 'created' | 'not-created' | 'revoked' | 'used' | 'used-up' | 'expired' | 'unreadable' | 'copy';

export const noGrant: GrantState = { isRevoked: false, uses: new Set(), unreadable: 0, next: 0 };

/** A grant without a count of its own: nobody has agreed to more, and its state stays bounded. */
export const MAX_USES = 1000;

/** Uses it has left. */
export const usesLeft = ({ terms, uses, unreadable }: GrantState): number =>
  Math.max(0, Math.min(terms?.count ?? MAX_USES, MAX_USES) - uses.size - unreadable);

/** N52: one record of `grant/<grantId>`, in offset order. The first that creates or revokes stands; a revoked one is never in force again. */
export function foldGrant(state: GrantState, record: GrantRecord): { readonly state: GrantState; readonly verdict: GrantVerdict } {
  if (record.offset < state.next) return { state, verdict: 'copy' };
  const after = { ...state, next: record.offset + 1 };
  switch (record.type) {
    case 'grant.created':
      if (state.terms) return { state: after, verdict: 'created' };
      return { state: { ...after, terms: { ...record.data, createdAt: record.timestamp } }, verdict: 'stands' };
    case 'grant.revoked':
      return { state: { ...after, isRevoked: true }, verdict: state.isRevoked ? 'revoked' : 'stands' };
    case 'grant.used': {
      if (!record.data) return { state: { ...after, unreadable: state.unreadable + 1 }, verdict: 'unreadable' };
      const { useId } = record.data;
      const why = whyUseVoid(state, useId, record.timestamp);
      if (why) return { state: after, verdict: why };
      return { state: { ...after, uses: new Set(state.uses).add(useId) }, verdict: 'stands' };
    }
  }
}

function whyUseVoid(state: GrantState, useId: string, now: number): GrantVerdict | undefined {
  const { terms, isRevoked, uses } = state;
  if (!terms) return 'not-created';
  if (isRevoked) return 'revoked';
  if (uses.has(useId)) return 'used';
  if (usesLeft(state) === 0) return 'used-up';
  return isPast(terms, now) ? 'expired' : undefined;
}

export const isPast = ({ until }: Pick<GrantTerms, 'until'>, now: number): boolean => until !== undefined && now > until;
