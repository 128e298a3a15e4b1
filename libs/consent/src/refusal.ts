/** How a request was settled on the log; `unknown` by a spend nobody can read (L8). */
export type StandingVerdict = 'approved' | 'declined' | 'closed' | 'expired' | 'unknown';

/** Why a decision is not held; the order is the one they are judged in. */
export type RefusalReason =
  | 'no-request'
  | 'request-not-recorded'
  | 'other-request'
  | 'call-changed'
  | 'tool-changed'
  | 'chain-changed'
  | 'ledger-changed'
  | 'expired'
  | 'already-answered'
  | 'closed-by-host';

interface Refused {
  /** No decision can ever be held: the host closes the request, frees the session and tells the person (N10). */
  readonly isUnanswerable: boolean;
  /** The record that settled it: the session goes on by it (N12). */
  readonly standing?: StandingVerdict;
}

export type Refusal =
  | (Refused & { readonly code: 'ERR_DECISION_REQUIRED'; readonly http: 400; readonly reason?: undefined })
  | (Refused & { readonly code: 'ERR_RESUME_REFUSED'; readonly http: 400 | 409; readonly reason: RefusalReason });

const unanswerable: ReadonlySet<RefusalReason> = new Set([
  'request-not-recorded',
  'call-changed',
  'tool-changed',
  'chain-changed',
  'ledger-changed',
  'expired',
]);

/** Whether a refusal for this reason holds for every other decision too (N10). The sender's errors free nothing. */
export const isUnanswerable = (reason: RefusalReason): boolean => unanswerable.has(reason);

/** @param isFinal false where what was judged is only not known yet, or the request is settled already. */
export function refused(
  reason: RefusalReason | 'not-a-decision',
  isFinal = true,
  standing?: StandingVerdict,
): { readonly outcome: 'refused' } & Refusal {
  if (reason === 'not-a-decision') return { outcome: 'refused', code: 'ERR_DECISION_REQUIRED', http: 400, isUnanswerable: false };
  return {
    outcome: 'refused',
    code: 'ERR_RESUME_REFUSED',
    http: reason === 'no-request' ? 400 : 409,
    reason,
    isUnanswerable: isFinal && isUnanswerable(reason),
    ...(standing !== undefined && { standing }),
  };
}
