import type { Violation } from '../history.js';
import { attemptOf, stateOf, type CallEvidence } from '../zombies/judgement.js';
import type { RequestFound } from '../zombies/found-on-log.js';
import type { SessionFold } from '../zombies/session-fold.js';

/** What the ledger says of a request. */
export interface LedgerConsent {
  readonly status: string;
  /** Spent, not run (N22). */
  readonly isNotRun: boolean;
}

export interface ConsentEvidence {
  readonly fold: SessionFold;
  readonly received: CallEvidence['received'];
  readonly ledgerConsents: ReadonlyMap<string, LedgerConsent>;
}

/** Holds every call that a tool server received against the approvals that stand, and every approval against what became of it. */
export function judgeConsents(evidence: ConsentEvidence): Violation[] {
  return [...ranUnapproved(evidence), ...unexplained(evidence)];
}

/** N20, N31: no call without an approval that stands before its dispatch. */
function ranUnapproved({ fold, received }: ConsentEvidence): Violation[] {
  return received.flatMap((one): Violation[] => {
    const attempt = attemptOf(one, fold);
    const request = fold.requests.get(attempt?.requestId ?? '');
    const { spent } = request ?? {};
    if (!attempt || !request) return [{ rule: 'N20', what: `${one.id} ran without a request` }];
    if (!spent) return [{ rule: 'N20', what: `${one.id} ran, and nobody decided` }];
    if (spent.verdict !== 'approved') return [{ rule: 'N31', what: `${one.id} ran, and ${spent.verdict} stands` }];
    if (spent.claimId !== attempt.runId || spent.offset >= attempt.offset || request.callId !== attempt.callId)
      return [{ rule: 'N22', what: `${one.id} ran by a dispatch that is not behind its approval` }];
    return [];
  });
}

/** N12, N22: the ledger says of every request what stands, and of every approval whether its call was sent. */
function unexplained({ fold, ledgerConsents }: ConsentEvidence): Violation[] {
  const violations: Violation[] = [];
  for (const [requestId, request] of fold.requests) {
    const name = requestId.slice(0, 12);
    const inLedger = ledgerConsents.get(requestId);
    const status = request.spent?.verdict ?? 'pending';
    if (inLedger?.status !== status)
      violations.push({ rule: 'N12', what: `request ${name} is ${status} by the log and ${inLedger?.status ?? 'not'} in the ledger` });
    const isNotRun = becameOf(request, fold) === 'spent-not-run';
    if (inLedger && inLedger.isNotRun !== isNotRun)
      violations.push({
        rule: 'N22',
        what: `request ${name} is ${isNotRun ? '' : 'not '}spent-not-run by the log, and the ledger says otherwise`,
      });
  }
  return violations;
}

/** What became of a request, in the words of N12 and N22. */
export function becameOf({ callId, spent }: RequestFound, { calls, runs }: SessionFold): string {
  if (!spent) return 'pending';
  if (spent.verdict !== 'approved') return spent.verdict;
  const attempts = calls.get(callId) ?? [];
  const isOver = runs.get(spent.claimId ?? '')?.how !== undefined;
  if (attempts.length === 0 || attempts.at(-1)!.end === 'not-sent') return isOver ? 'spent-not-run' : 'approved';
  return stateOf(attempts, runs);
}
