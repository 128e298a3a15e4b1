import type { Party } from './call.js';

/** Who may decide (N50). */
export interface ApproverPolicy {
  /** `both`: the party itself or somebody with a role. */
  readonly deciders: 'party' | 'role' | 'both';
  readonly roles: readonly string[];
  /** Separation of duties: the asker may not approve. */
  readonly separation: boolean;
  /** Distinct eligible people that have to approve; without one, the first decision settles. */
  readonly quorum?: number;
}

export interface Decider extends Party {
  readonly roles: readonly string[];
  /** The door judged that the session the call was asked in is this caller's; the only sign of an anonymous party. */
  readonly ownsSession?: boolean;
}

/**
 * Whether this person's word counts on a call asked for by `party`. Roles count within the party's tenant only. Under
 * separation of duties the asker may still decline: nothing runs by that.
 */
export function mayDecide(decider: Decider, party: Party, policy: ApproverPolicy, approved: boolean): boolean {
  const isAsker = decider.ownsSession === true || isSamePerson(decider, party);
  if (isAsker && policy.separation && approved) return false;
  const byParty = isAsker && policy.deciders !== 'role';
  return byParty || (policy.deciders !== 'party' && decider.tenant === party.tenant && policy.roles.some((r) => decider.roles.includes(r)));
}

function isSamePerson(a: Party, b: Party): boolean {
  return a.subject !== undefined && a.subject === b.subject && a.issuer === b.issuer && a.tenant === b.tenant;
}

/** Why nobody could ever approve under this policy, as a sentence for whoever wrote it; `undefined` for one that can work. */
export function whyUnusable({ deciders, roles, separation, quorum }: ApproverPolicy): string | undefined {
  if (deciders !== 'party' && roles.length === 0) return 'Name at least one role that may decide.';
  if (deciders === 'party' && separation) return 'The party alone decides and may not approve: add a role, or give up the separation.';
  if (deciders === 'party' && quorum !== undefined && quorum > 1) return `The party alone decides, so ${quorum} approvals cannot be had.`;
  if (quorum !== undefined && (!Number.isInteger(quorum) || quorum < 1 || quorum > 64)) return 'A quorum is a whole number from 1 to 64.';
  return undefined;
}

export interface Vote {
  /** `userRef`. */
  readonly by: string;
  readonly approved: boolean;
}

/** Where a quorum is: as the fold counts, each person's first vote, and one disapproving one declines. */
export function tally(
  votes: readonly Vote[],
  quorum: number,
): { readonly have: number; readonly need: number; readonly isVetoed: boolean } {
  const first = new Map<string, boolean>();
  for (const { by, approved } of votes) if (!first.has(by)) first.set(by, approved);
  const have = [...first.values()].filter(Boolean).length;
  return { have, need: quorum, isVetoed: have < first.size };
}
