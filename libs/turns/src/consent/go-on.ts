import { randomUUID } from 'node:crypto';
import type { Message, ToolCall, ToolResult } from '@doorledger/agent';
import type { PausedRequest } from '@doorledger/consent';
import type { FactData } from '@doorledger/contracts';
import type { Met } from '@doorledger/event-log';
import { notRun, ranOf } from '../call-round.js';
import { LostRunError } from '../lost-run.js';
import type { RunLog } from '../run-log.js';
import type { StepLoop } from '../step-loop.js';
import type { TurnAnswer, TurnAsk, TurnWatch } from '../turn-ask.js';
import type { PausedTurn } from './paused-turn.js';
import type { ChangedCall } from './changed-call.js';

export type SpentVerdict = FactData<'consent.spent'>['verdict'];

/** A decision that holds, and what it goes on with. */
export interface ResumeAsk {
  /** The session's reference. */
  readonly key: string;
  readonly turnId: string;
  readonly paused: PausedTurn & { readonly request: PausedRequest };
  readonly approved: boolean;
  /** Who decided (userRef). */
  readonly by?: string;
  /** What the decider wrote, for the agent; never on the public log. */
  readonly note?: string;
  /** The call as it is to wait in the place of the one that waits (N55); nothing is spent on it yet. */
  readonly changed?: ChangedCall;
  readonly idempotency?: TurnAsk['idempotency'];
  readonly watch?: TurnWatch;
  readonly onHandOverFailure?: TurnAsk['onHandOverFailure'];
  readonly signal: AbortSignal;
  /** Told once the request is settled, by this decision or before it. */
  readonly onSettled?: (verdict: SpentVerdict | 'unknown') => void;
}

/**
 * Spends the request first of all, approved or declined (N20), and goes on by what stands then: what was settled by somebody else in the
 * meantime counts (N13).
 */
export async function goOn(steps: StepLoop, log: RunLog, ask: ResumeAsk, before: readonly Message[]): Promise<TurnAnswer> {
  const { paused, onSettled } = ask;
  const { call: bound } = paused.request;
  const { step, toolCalls, usage } = paused;
  const place = { step, toolCalls, ...(usage && { usage }) };
  const calls = before.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : []));
  const waiting = paused.waiting.map((callId) => calls.find((call) => call.callId === callId)).filter((call) => call !== undefined);
  if (ask.changed) return steps.awaiting(await steps.gated.replaced(place, paused.request, ask.changed, ask.by, waiting));
  const spent = await spend(log, ask);
  onSettled?.(spent.verdict);
  const call: ToolCall = { callId: bound.callId, name: `${bound.server}.${bound.tool}`, args: bound.args };
  const settled =
    spent.verdict === 'approved' ? await steps.gated.approved(place, paused, spent.met, waiting) : [didNotRun(call, spent.verdict, ask)];
  if (!Array.isArray(settled)) return steps.awaiting(settled);
  const passed = await steps.pass({ ...place, toolCalls: toolCalls + ranOf(settled) }, waiting, settled);
  if (!Array.isArray(passed)) return passed;
  return steps.carry({ before, added: passed, step: step + 1, toolCalls: toolCalls + ranOf(passed), ...(usage && { usage }) });
}

async function spend(log: RunLog, { paused, approved, by }: ResumeAsk): Promise<{ verdict: SpentVerdict | 'unknown'; met: Met }> {
  const requestId = paused.request.pending.id;
  const verdict = approved ? 'approved' : 'declined';
  const of = { requestId, ...(by !== undefined && { by }) };
  const [met] = await log.attempt([{ type: 'consent.spent', data: { ...of, claimId: log.run.runId, verdict } }]);
  if (met!.verdict.stands) return { verdict, met: met! };
  const why = met!.verdict.isIgnored || met!.verdict.waits ? undefined : met!.verdict.reason;
  if (why === 'expired') {
    const [expired] = await log.attempt([{ type: 'consent.spent', data: { requestId, claimId: randomUUID(), verdict: 'expired' } }]);
    if (expired!.verdict.stands) return { verdict: 'expired', met: expired! };
  }
  const settled = met!.state.run?.requests.find((request) => request.requestId === requestId)?.spent;
  if (settled !== undefined) return { verdict: settled, met: met! };
  throw new LostRunError();
}

function didNotRun(call: ToolCall, verdict: SpentVerdict | 'unknown', { note }: ResumeAsk): ToolResult {
  switch (verdict) {
    case 'declined':
      return notRun(
        call,
        note ? `A person declined this call, so it did not run. They said: ${note}` : 'A person declined this call, so it did not run.',
      );
    case 'expired':
      return notRun(call, 'Nobody decided on this call in time, so it did not run.');
    case 'closed':
      return notRun(call, 'This call was withdrawn before anybody approved it, so it did not run.');
    default:
      return notRun(call, 'The decision on this call cannot be read, so it did not run.');
  }
}
