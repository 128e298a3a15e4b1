import { randomBytes } from 'node:crypto';
import type { ToolCall, ToolResult, Usage } from '@doorledger/agent';
import { UnbindableError, isCommitted, isSameJson, mint, type Json, type Party, type PausedRequest } from '@doorledger/consent';
import type { Fact } from '@doorledger/contracts';
import type { Met, Position } from '@doorledger/event-log';
import type { OfferedTool, ToolServers } from '@doorledger/mcp';
import type { ToolSessionTier } from '@doorledger/tool-sessions';
import { dispatchOf, isReady, notRun, prepareCall, unbindable, type Approval } from '../call-round.js';
import type { CallScope, CallSender } from '../call-sender.js';
import type { RunLog } from '../run-log.js';
import { TurnError } from '../turn-error.js';
import type { Gates, Judgement, Passed } from './gates.js';
import { encodePausedTurn, type PausedTurn, type TurnParty } from './paused-turn.js';
import { pendingAsk, type PendingAsk } from './pending-ask.js';

export interface GatedCallsOptions {
  readonly gates: Gates;
  readonly servers: Pick<ToolServers, 'tools' | 'prepare'>;
  readonly sessions: Pick<ToolSessionTier, 'liveOf'>;
  /** The log's identity (N7). */
  readonly logId: string;
}

/** What a turn gives its gated calls. */
export interface GateScope {
  readonly log: RunLog;
  readonly sender: CallSender;
  readonly calls: CallScope;
  /** Absent for a turn without a session: it never pauses (N17). */
  readonly turn?: TurnParty;
  readonly party: Party;
  readonly partyRef: string;
}

/** Where in the turn the calls stand. */
export interface StepPlace {
  readonly step: number;
  readonly toolCalls: number;
  readonly usage?: Usage;
}

export interface Paused {
  readonly ask: PendingAsk;
  readonly position: Position;
}

type Gated = Extract<Judgement, { kind: 'gated' }>;
const start: Passed = { rules: 0, checkIn: false };

/** The gated calls of a step, one by one in the agent's order, each its own pause (L21, N15). */
export class GatedCalls {
  constructor(
    private readonly options: GatedCallsOptions,
    private readonly scope: GateScope,
  ) {}

  /** Tools by the name they are offered under. */
  offered(name: string): OfferedTool | undefined {
    return this.options.servers.tools().find((tool) => tool.name === name);
  }

  /** What the rules and the gate of a tool say of a call; what a gate under observation would have asked is noted (N16). */
  async judge(call: ToolCall, { server, tool }: OfferedTool, passed = start, args = call.args): Promise<Judgement> {
    const { observed, ...judgement } = await this.options.gates.judge({ server, tool, args, party: this.scope.party }, passed);
    const { turnId, runId } = this.scope.log.run;
    for (const one of observed)
      this.scope.log.note({ type: 'gate.observed', data: { turnId, runId, callId: call.callId, server, tool, ...one } });
    return judgement;
  }

  /** Goes on with the calls that wait; `results` are those of the step so far. Ends at the first gate that stands in the way. */
  async pass(place: StepPlace, waiting: readonly ToolCall[], results: ToolResult[]): Promise<ToolResult[] | Paused> {
    for (const [i, call] of waiting.entries()) {
      const tool = this.offered(call.name);
      const judgement = tool && (await this.judge(call, tool));
      const settled = !tool ? notRun(call, 'There is no such tool.') : await this.#settle(call, tool, judgement!);
      if ('role' in settled) results.push(settled);
      else return await this.#pause(place, { call, gated: settled, passed: start, tool: tool! }, waiting.slice(i + 1), results);
    }
    return results;
  }

  /** What an approved call comes to: its result, or the next gate in its way. Its spend stands at `spend`. */
  async approved(place: StepPlace, paused: PausedTurn & { readonly request: PausedRequest }, spend: Met, waiting: readonly ToolCall[]) {
    const { call: bound, pending } = paused.request;
    const call: ToolCall = { callId: bound.callId, name: `${bound.server}.${bound.tool}`, args: bound.args };
    const tool = this.offered(call.name);
    if (tool?.hash !== bound.toolHash) return [notRun(call, 'The tool has changed since it was approved, so it did not run.')];
    const passed =
      bound.gate === 'ask'
        ? { rules: bound.ask.index + 1, checkIn: false }
        : { rules: this.options.gates.chain(bound.server, bound.tool).length, checkIn: true };
    const judgement = await this.judge(call, tool, passed);
    if (judgement.kind === 'gated') return this.#pause(place, { call, gated: judgement, passed, tool, replaces: pending.id }, waiting, []);
    const args = judgement.kind === 'run' ? judgement.args : bound.args;
    // N11: what the later rules hand back has to be what was approved.
    if (!isSameJson(args as Json, bound.args))
      return [notRun(call, 'A later rule changed the approved arguments, so the call did not run.')];
    const { partition, offset } = spend.record;
    const approval = {
      requestId: pending.id,
      spend: { partition, offset },
      ...(paused.spendBy !== undefined && { notAfter: paused.spendBy }),
    };
    const settled = await this.#settle(call, tool, judgement, { approval, request: paused.request });
    return 'role' in settled ? [settled] : [notRun(call, 'It did not run.')];
  }

  async #settle(
    call: ToolCall,
    tool: OfferedTool,
    judgement: Judgement,
    approved?: { readonly approval: Approval; readonly request: PausedRequest },
  ): Promise<ToolResult | Gated> {
    if (judgement.kind === 'gated') return judgement;
    if (judgement.kind === 'deny') return notRun(call, `A rule denies this call: ${judgement.reason}`);
    const { log, sender, calls } = this.scope;
    const running = { ...call, args: judgement.args };
    const ready = await prepareCall(this.options.servers, running, tool, calls, approved?.approval);
    if (!isReady(ready)) return ready;
    try {
      calls.signal.throwIfAborted();
      const why = approved && whyNotDispatched(approved.request, running, ready.prepared.toolHash, approved.approval.notAfter);
      if (why !== undefined) {
        ready.prepared.release();
        return notRun(call, why);
      }
      const { turnId, runId } = log.run;
      const [, dispatched] = await log.append([{ type: 'turn.renewed', data: { turnId, runId } }, dispatchOf(ready, log.run, 1)]);
      return await sender.send(ready, dispatched!, calls);
    } catch (error) {
      ready.prepared.release();
      throw error;
    }
  }

  /** N9: the request and its pause are one batch, behind the sealed state and the results of the step so far. */
  async #pause(
    { step, toolCalls, usage }: StepPlace,
    { call, gated, passed, tool, replaces }: { call: ToolCall; gated: Gated; passed: Passed; tool: OfferedTool; replaces?: string },
    waiting: readonly ToolCall[],
    results: ToolResult[],
  ): Promise<ToolResult[] | Paused> {
    const { log, turn, party, partyRef } = this.scope;
    const { sessions, logId } = this.options;
    if (!turn)
      throw new TurnError(
        'ERR_PAUSE_NOT_CARRIED',
        'This call needs a person’s approval, and a message without a session cannot wait for one.',
        {
          details: { stored: false },
        },
      );
    const nonce = randomBytes(16);
    let request: PausedRequest;
    try {
      const { server, tool: name } = tool;
      const gating = gated.gate === 'ask' ? { gate: gated.gate, ask: gated.ask } : { gate: gated.gate };
      const minted = mint({ server, tool: name, toolHash: tool.hash, callId: call.callId, party, args: gated.args, ...gating }, nonce);
      request = { pending: { id: minted.requestId, nonce: nonce.toString('hex'), ledger: logId }, call: minted.call };
    } catch (error) {
      if (!(error instanceof UnbindableError)) throw error;
      return this.pass({ step, toolCalls, ...(usage && { usage }) }, waiting, [...results, notRun(call, unbindable(error))]);
    }
    const mintedAt = Date.now();
    const { policy, decideByMs, spendByMs } = gated.terms;
    const clocks = {
      ...(decideByMs !== undefined && { decideBy: mintedAt + decideByMs }),
      ...(spendByMs !== undefined && { spendBy: mintedAt + spendByMs }),
    };
    const paused = {
      request,
      terms: gated.terms,
      passed,
      ...(gated.gate === 'ask' && gated.question !== undefined && { question: gated.question }),
      step,
      waiting: waiting.map(({ callId }) => callId),
      toolCalls,
      ...(usage && { usage }),
      party: turn,
      ...(replaces !== undefined && { replaces }),
      mintedAt,
      ...clocks,
    };
    const heard = results.length > 0 ? [log.stepped(step, await log.messages(results))] : [];
    const ref = await log.pause(encodePausedTurn(paused));
    await log.durable();
    const { turnId, runId, key } = log.run;
    const requestId = request.pending.id;
    const minted: Fact = {
      type: 'consent.minted',
      data: {
        requestId,
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
        ...(policy.quorum !== undefined && { quorum: policy.quorum }),
        ...clocks,
        ...(replaces !== undefined && { replaces }),
      },
    };
    const stop: Fact = { type: 'turn.paused', data: { turnId, runId, requestId, private: ref, liveToolSessions: sessions.liveOf(key) } };
    const met = await log.append([...heard, minted, stop]);
    return { ask: pendingAsk(turnId, paused), position: met.at(-1)!.record };
  }
}

/** N22: asked once more, right before the dispatch of an approved call. */
function whyNotDispatched(request: PausedRequest, { args }: ToolCall, toolHash: string, notAfter: number | undefined): string | undefined {
  if (toolHash !== request.call.toolHash) return 'The tool has changed since it was approved, so it did not run.';
  if (!isCommitted({ ...request, call: { ...request.call, args: args as typeof request.call.args } }))
    return 'The arguments are not the approved ones, so the call did not run.';
  if (notAfter !== undefined && Date.now() > notAfter) return 'The approval was used too late, so the call did not run.';
  return undefined;
}
