import { randomBytes } from 'node:crypto';
import type { ToolCall } from '@doorledger/agent';
import { mint, type Party, type PausedRequest } from '@doorledger/consent';
import type { Fact } from '@doorledger/contracts';
import type { OfferedTool } from '@doorledger/mcp';
import type { Run } from '../lease.js';
import type { Judgement, Passed } from './gates.js';

export type Gated = Extract<Judgement, { kind: 'gated' }>;

/** A call at a gate that asks. */
export interface StoppedCall {
  readonly call: ToolCall;
  readonly gated: Gated;
  /** What it has passed before this gate. */
  readonly passed: Passed;
  readonly tool: OfferedTool;
  /** The request that this one comes after, for the same call. */
  readonly replaces?: string;
  /** An approver has changed its arguments (N55). */
  readonly isChanged?: boolean;
}

/** The request for one stopped call. Dates are epoch ms. */
export interface BoundCall {
  readonly request: PausedRequest;
  readonly mintedAt: number;
  readonly decideBy?: number;
  readonly spendBy?: number;
}

/** In whose name a call is asked for, and under which log. */
export interface BindScope {
  readonly party: Party;
  readonly partyRef: string;
  readonly logId: string;
}

/** Every time a request of its own (N6). @throws UnbindableError */
export function bindCall({ call, gated, tool }: StoppedCall, { party, logId }: BindScope): BoundCall {
  const nonce = randomBytes(16);
  const gating = gated.gate === 'ask' ? { gate: gated.gate, ask: gated.ask } : { gate: gated.gate };
  const { server, tool: name, hash } = tool;
  const minted = mint({ server, tool: name, toolHash: hash, callId: call.callId, party, args: gated.args, ...gating }, nonce);
  const mintedAt = Date.now();
  const { decideByMs, spendByMs } = gated.terms;
  return {
    request: { pending: { id: minted.requestId, nonce: nonce.toString('hex'), ledger: logId }, call: minted.call },
    mintedAt,
    ...(decideByMs !== undefined && { decideBy: mintedAt + decideByMs }),
    ...(spendByMs !== undefined && { spendBy: mintedAt + spendByMs }),
  };
}

/** The public fact of a request; under a grant it stands alone (N9). */
export function mintedFact(
  { turnId, runId }: Pick<Run, 'turnId' | 'runId'>,
  { call, gated, tool, replaces }: StoppedCall,
  { request, decideBy, spendBy }: BoundCall,
  { partyRef, logId }: BindScope,
  grant?: string,
): Fact {
  const { quorum } = gated.terms.policy;
  return {
    type: 'consent.minted',
    data: {
      requestId: request.pending.id,
      turnId,
      runId,
      callId: call.callId,
      gate: gated.gate,
      server: tool.server,
      tool: tool.tool,
      toolHash: tool.hash,
      ...(gated.gate === 'ask' && { rule: gated.ask.rule }),
      ledger: logId,
      partyRef,
      ...(quorum !== undefined && { quorum }),
      ...(grant !== undefined && { grant }),
      ...(decideBy !== undefined && { decideBy }),
      ...(spendBy !== undefined && { spendBy }),
      ...(replaces !== undefined && { replaces }),
    },
  };
}
