import { UnbindableError, type PausedRequest } from '@doorledger/consent';
import type { Approval } from '../call-round.js';
import { bindCall, mintedFact, type BindScope, type BoundCall, type StoppedCall } from '../consent/stopped-call.js';
import { LostRunError } from '../lost-run.js';
import type { RunLog } from '../run-log.js';
import { TurnError } from '../turn-error.js';
import type { LiveGrant } from './grant-book.js';
import type { Grants } from './grants.js';

/** A call that somebody agreed to before it was asked for. */
export interface Granted {
  readonly request: PausedRequest;
  readonly approval: Approval;
}

/**
 * N52: a stopped call goes on under a grant, each record seen to stand before the next: `consent.minted {grant}`, `grant.used`,
 * `consent.spent {approved}`. Undefined where no grant covers the call, or one that was void by then: the gate asks as usual, and what was
 * minted is closed with the run (N31). @throws LostRunError; ClaimUnknownError
 */
export async function underGrant(
  stopped: StoppedCall,
  scope: BindScope,
  log: RunLog,
  grants: Pick<Grants, 'covering' | 'use'>,
): Promise<Granted | undefined> {
  const bound = bindable(stopped, scope);
  if (!bound) return undefined;
  const { request, spendBy } = bound;
  const { server, tool, toolHash, args } = request.call;
  const { policy } = stopped.gated.terms;
  const grant = await grants.covering({ party: scope.partyRef, server, tool, toolHash, args, policy });
  if (!grant || !(await isMinted(log, stopped, bound, scope, grant))) return undefined;
  const requestId = request.pending.id;
  if (!(await grants.use(grant, requestId).catch(unlessUnknown))) return undefined;
  const { grantId, by } = grant;
  const { runId: claimId } = log.run;
  const [spent] = await log.append([{ type: 'consent.spent', data: { requestId, claimId, verdict: 'approved', by, grant: grantId } }]);
  const { partition, offset } = spent!.record;
  return { request, approval: { requestId, spend: { partition, offset }, ...(spendBy !== undefined && { notAfter: spendBy }) } };
}

/** What cannot be bound is the gate's to refuse. */
function bindable(stopped: StoppedCall, scope: BindScope): BoundCall | undefined {
  try {
    return bindCall(stopped, scope);
  } catch (error) {
    if (error instanceof UnbindableError) return undefined;
    throw error;
  }
}

/** False where the run holds all the requests that it may. */
async function isMinted(log: RunLog, stopped: StoppedCall, bound: BoundCall, scope: BindScope, { grantId }: LiveGrant): Promise<boolean> {
  const [met] = await log.attempt([mintedFact(log.run, stopped, bound, scope, grantId)]);
  const { verdict } = met!;
  if (verdict.stands) return true;
  if ('reason' in verdict && verdict.reason === 'bound') return false;
  throw new LostRunError();
}

/** A use of which nobody knows whether it stands is not acted on; it may stay used. */
function unlessUnknown(error: unknown): false {
  if (error instanceof TurnError) return false;
  throw error;
}
