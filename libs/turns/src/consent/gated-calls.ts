import { randomUUID } from 'node:crypto';
import type { ToolCall, ToolResult, Usage } from '@doorledger/agent';
import { UnbindableError, isSameJson, type Json, type Party, type PausedRequest } from '@doorledger/consent';
import type { Fact } from '@doorledger/contracts';
import type { Met, Position } from '@doorledger/event-log';
import type { OfferedTool, ToolServers } from '@doorledger/mcp';
import type { ToolSessionTier } from '@doorledger/tool-sessions';
import { dispatchOf, isReady, notRun, prepareCall, unbindable } from '../call-round.js';
import type { CallScope, CallSender } from '../call-sender.js';
import type { Grants } from '../grants/grants.js';
import { underGrant, type Granted } from '../grants/under-grant.js';
import { LostRunError } from '../lost-run.js';
import type { RunLog } from '../run-log.js';
import { TurnError } from '../turn-error.js';
import { changedTo, type ChangedCall } from './changed-call.js';
import type { Gates, Judgement, Passed } from './gates.js';
import { encodePausedTurn, type PausedTurn, type TurnParty } from './paused-turn.js';
import { pendingAsk, type PendingAsk } from './pending-ask.js';
import { whyNotDispatched } from './last-look.js';
import { bindCall, mintedFact, type BindScope, type BoundCall, type Gated, type StoppedCall } from './stopped-call.js';

export interface GatedCallsOptions {
  readonly gates: Gates;
  readonly grants: Pick<Grants, 'covering' | 'use'>;
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
    let { toolCalls } = place;
    for (const [i, call] of waiting.entries()) {
      const settled = await this.#begin(call);
      if (!('role' in settled)) return await this.#pause({ ...place, toolCalls }, settled, waiting.slice(i + 1), results);
      results.push(settled);
      if (settled.outcome !== 'not-run') toolCalls++;
    }
    return results;
  }

  /** What an approved call comes to: its result, or the next gate in its way. Its spend stands at `spend`. */
  async approved(place: StepPlace, paused: PausedTurn & { readonly request: PausedRequest }, spend: Met, waiting: readonly ToolCall[]) {
    const { request, spendBy, isChanged } = paused;
    const { partition, offset } = spend.record;
    const next = await this.#goOn({
      request,
      approval: { requestId: request.pending.id, spend: { partition, offset }, ...(spendBy !== undefined && { notAfter: spendBy }) },
    });
    const settled = 'role' in next ? next : await this.#carry({ ...next, ...(isChanged && { isChanged }) });
    if (!('role' in settled)) return this.#pause(place, settled, waiting, []);
    return [isChanged ? { ...settled, text: `${changedTo(request)}\n${settled.text}` } : settled];
  }

  /**
   * N55: the call with other arguments waits in the place of the one that waited. The close of the old request and the new pause are ONE
   * batch, so that a host that dies in between leaves one of the two to decide on, and never none. Where the old request was settled by
   * another record in the meantime, the new one is closed with it: nobody asked for a call that was withdrawn.
   */
  async replaced(place: StepPlace, old: PausedRequest, changed: ChangedCall, by: string | undefined, waiting: readonly ToolCall[]) {
    const { pending, call: bound } = old;
    const call: ToolCall = { callId: bound.callId, name: changed.tool.name, args: changed.gated.args };
    const data = { claimId: randomUUID(), verdict: 'closed', ...(by !== undefined && { by }) } as const;
    const close: Fact = { type: 'consent.spent', data: { ...data, requestId: pending.id, reason: 'replaced' } };
    const stopped = { ...changed, call, replaces: pending.id };
    const { log } = this.scope;
    const { facts, ask } = await this.#pauseFacts(place, stopped, bindCall(stopped, this.#bindScope), waiting, []);
    const met = await log.attempt([close, ...facts]);
    if (!met.at(-1)!.verdict.stands) throw new LostRunError();
    if (met[0]!.verdict.stands) return { ask, position: met.at(-1)!.record };
    await log.attempt([{ type: 'consent.spent', data: { ...data, requestId: ask.requestId, reason: 'withdrawn' } }]);
    throw new TurnError('ERR_RESUME_REFUSED', 'This request was settled by another record first.', {
      details: { reason: 'closed-by-host' },
    });
  }

  get #bindScope(): BindScope {
    const { party, partyRef } = this.scope;
    return { party, partyRef, logId: this.options.logId };
  }

  async #begin(call: ToolCall): Promise<ToolResult | StoppedCall> {
    const tool = this.offered(call.name);
    if (!tool) return notRun(call, 'There is no such tool.');
    const settled = await this.#settle(call, tool, await this.judge(call, tool));
    return 'role' in settled ? settled : this.#carry({ call, gated: settled, passed: start, tool });
  }

  /** N52: past every gate that a grant answers. */
  async #carry(stopped: StoppedCall): Promise<ToolResult | StoppedCall> {
    for (let at = stopped; ;) {
      const granted = await underGrant(at, this.#bindScope, this.scope.log, this.options.grants);
      if (!granted) return at;
      const next = await this.#goOn(granted);
      if ('role' in next) return next;
      at = next;
    }
  }

  /** An approved call past its gate: its result, or the next gate in its way. */
  async #goOn(approved: Granted): Promise<ToolResult | StoppedCall> {
    const { call: bound, pending } = approved.request;
    const call: ToolCall = { callId: bound.callId, name: `${bound.server}.${bound.tool}`, args: bound.args };
    const tool = this.offered(call.name);
    if (tool?.hash !== bound.toolHash) return notRun(call, 'The tool has changed since it was approved, so it did not run.');
    const passed =
      bound.gate === 'ask'
        ? { rules: bound.ask.index + 1, checkIn: false }
        : { rules: this.options.gates.chain(bound.server, bound.tool).length, checkIn: true };
    const judgement = await this.judge(call, tool, passed);
    if (judgement.kind === 'gated') return { call, gated: judgement, passed, tool, replaces: pending.id };
    const args = judgement.kind === 'run' ? judgement.args : bound.args;
    // N11: what the later rules hand back has to be what was approved.
    if (!isSameJson(args as Json, bound.args)) return notRun(call, 'A later rule changed the approved arguments, so the call did not run.');
    const settled = await this.#settle(call, tool, judgement, approved);
    return 'role' in settled ? settled : notRun(call, 'It did not run.');
  }

  async #settle(call: ToolCall, tool: OfferedTool, judgement: Judgement, approved?: Granted): Promise<ToolResult | Gated> {
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

  async #pause(
    place: StepPlace,
    stopped: StoppedCall,
    waiting: readonly ToolCall[],
    results: ToolResult[],
  ): Promise<ToolResult[] | Paused> {
    const { log } = this.scope;
    let bound: BoundCall;
    try {
      if (!this.scope.turn) throw notCarried();
      bound = bindCall(stopped, this.#bindScope);
    } catch (error) {
      if (!(error instanceof UnbindableError)) throw error;
      return this.pass(place, waiting, [...results, notRun(stopped.call, unbindable(error))]);
    }
    const { facts, ask } = await this.#pauseFacts(place, stopped, bound, waiting, results);
    const met = await log.append(facts);
    return { ask, position: met.at(-1)!.record };
  }

  /** N9: the request and its pause are one batch, behind the sealed state and the results of the step so far. */
  async #pauseFacts(
    { step, toolCalls, usage }: StepPlace,
    stopped: StoppedCall,
    { request, ...dates }: BoundCall,
    waiting: readonly ToolCall[],
    results: readonly ToolResult[],
  ): Promise<{ readonly facts: Fact[]; readonly ask: PendingAsk }> {
    const { log, turn } = this.scope;
    const { gated, passed, replaces, isChanged } = stopped;
    const paused = {
      request,
      terms: gated.terms,
      passed,
      ...(gated.gate === 'ask' && gated.question !== undefined && { question: gated.question }),
      step,
      waiting: waiting.map(({ callId }) => callId),
      toolCalls,
      ...(usage && { usage }),
      party: turn!,
      ...(replaces !== undefined && { replaces }),
      ...(isChanged && { isChanged }),
      ...dates,
    };
    const heard = results.length > 0 ? [log.stepped(step, await log.messages(results))] : [];
    const ref = await log.pause(encodePausedTurn(paused));
    await log.durable();
    const { turnId, runId, key } = log.run;
    const liveToolSessions = this.options.sessions.liveOf(key);
    const minted = mintedFact(log.run, stopped, { request, ...dates }, this.#bindScope);
    const stop: Fact = { type: 'turn.paused', data: { turnId, runId, requestId: request.pending.id, private: ref, liveToolSessions } };
    return { facts: [...heard, minted, stop], ask: pendingAsk(turnId, paused) };
  }
}

const notCarried = (): TurnError =>
  new TurnError('ERR_PAUSE_NOT_CARRIED', 'This call needs a person’s approval, and a message without a session cannot wait for one.', {
    details: { stored: false },
  });
