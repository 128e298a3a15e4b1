import type { Agent, CallAsk, Message, ToolCall, ToolResult, Usage } from '@doorledger/agent';
import type { Party } from '@doorledger/consent';
import type { Claims, Met } from '@doorledger/event-log';
import type { ToolServers } from '@doorledger/mcp';
import type { ToolSessionTier } from '@doorledger/tool-sessions';
import { agentStep } from './agent-step.js';
import { dispatchOf, notRun, prepareCall, ranOf, readAsks, whyUnbindable, type ReadyCall } from './call-round.js';
import { CallSender, type CallScope } from './call-sender.js';
import { GatedCalls, type Paused, type StepPlace } from './consent/gated-calls.js';
import type { Gates } from './consent/gates.js';
import type { TurnParty } from './consent/paused-turn.js';
import type { PrivateWriter } from './content.js';
import type { FactLane } from './fact-lane.js';
import type { Grants } from './grants/grants.js';
import { HandOver, type HandOverBounds } from './hand-over.js';
import type { RunLog } from './run-log.js';
import type { HandOverFailure, TurnAnswer, TurnWatch } from './turn-ask.js';
import { turnBound } from './turn-error.js';

/** L21 */
export interface StepBounds extends HandOverBounds {
  readonly steps: number;
  readonly callsPerStep: number;
}

export interface StepLoopOptions {
  readonly claims: Claims;
  readonly content: PrivateWriter;
  readonly lane: FactLane;
  readonly agent: Agent;
  readonly servers: Pick<ToolServers, 'tools' | 'prepare'>;
  readonly sessions: Pick<ToolSessionTier, 'fire' | 'liveOf'>;
  readonly gates: Gates;
  readonly grants: Pick<Grants, 'covering' | 'use'>;
  /** The log's identity (N7). */
  readonly logId: string;
  readonly bounds: StepBounds;
}

/** What one run carries out: in whose name, and who is told. */
export interface StepScope {
  readonly log: RunLog;
  readonly person: CallScope['person'];
  readonly party: Party;
  readonly partyRef: string;
  readonly turn?: TurnParty;
  readonly watch?: TurnWatch;
  readonly onHandOverFailure?: ((failure: HandOverFailure) => void) | undefined;
  readonly signal: AbortSignal;
}

/** Where a turn goes on: what was said, what this run adds to it, and how far it had come. */
export interface StepsFrom {
  readonly before: readonly Message[];
  readonly added: readonly Message[];
  readonly step: number;
  readonly toolCalls: number;
  readonly usage?: Usage;
}

/** One run's steps: the agent speaks, its calls are judged, dispatched and sent, their results are heard, until it answers (spec 6). */
export class StepLoop {
  readonly gated: GatedCalls;
  readonly #options: StepLoopOptions;
  readonly #scope: StepScope;
  readonly #calls: CallScope;
  readonly #sender: CallSender;
  #toolCalls = 0;
  #usage?: Usage;

  constructor(options: StepLoopOptions, scope: StepScope) {
    const { log, person, watch, signal } = scope;
    this.#options = options;
    this.#scope = scope;
    this.#calls = {
      run: log.run,
      person,
      lease: log.lease,
      handOver: new HandOver(options.content, log.scope.owner, options.bounds, signal),
      watch,
      signal,
    };
    this.#sender = new CallSender(options);
    this.gated = new GatedCalls(options, { ...scope, sender: this.#sender, calls: this.#calls });
  }

  /** Tokens its models took so far. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** What went wrong first when files were handed over (H1). */
  get handOverFailure(): HandOverFailure | undefined {
    return this.#calls.handOver.failure;
  }

  /** @throws LostRunError; TurnError; what the agent throws */
  async carry({ before, added, step: first, toolCalls, usage: used }: StepsFrom): Promise<TurnAnswer> {
    const { agent, bounds, servers } = this.#options;
    const { watch, signal } = this.#scope;
    this.#toolCalls = toolCalls;
    this.#usage = used;
    let messages = before;
    for (let step = first; step <= bounds.steps; step++) {
      messages = [...messages, ...added];
      watch?.step(step);
      const { text, calls = [], usage } = await agentStep(agent, messages, servers.tools(), signal, (piece) => watch?.piece(piece));
      this.#count(usage);
      if (calls.length === 0) return await this.#complete(step, added, text);
      if (calls.length > bounds.callsPerStep)
        throw turnBound('callsPerStep', 'The agent asked for more tool calls in one step than it may.');
      const { said, refused, ready, waiting } = await this.#plan(text, calls);
      messages = [...messages, said, ...refused];
      const results = await this.#send(step, [...added, said, ...refused], ready);
      const place = { step, toolCalls: this.#toolCalls, ...(this.#usage && { usage: this.#usage }) };
      const sent = results.length;
      const passed = await this.pass(place, waiting, results);
      if (!Array.isArray(passed)) return passed;
      this.#toolCalls += ranOf(passed.slice(sent));
      added = passed;
    }
    throw turnBound('steps', 'The agent took more steps than a turn may have.');
  }

  /** The gated calls of a step that still wait, behind the results it has so far (N15). */
  async pass(place: StepPlace, waiting: readonly ToolCall[], results: ToolResult[]): Promise<ToolResult[] | TurnAnswer> {
    const passed = await this.gated.pass(place, waiting, results);
    return Array.isArray(passed) ? passed : this.awaiting(passed);
  }

  awaiting({ ask, position }: Paused): TurnAnswer {
    return { kind: 'awaiting', ask, position };
  }

  /** Which calls of a step may run now, which wait for a person, and which will never run. */
  async #plan(text: string, asks: readonly CallAsk[]) {
    const refused: ToolResult[] = [];
    const ready: ReadyCall[] = [];
    const waiting: ToolCall[] = [];
    const read = readAsks(asks);
    const planned = await Promise.all(
      read.map(async ({ call, problem, text: written }) => {
        const tool = this.gated.offered(call.name);
        if (!tool) return notRun(call, 'There is no such tool.');
        if (problem !== undefined) return notRun(call, problem);
        const judgement = await this.gated.judge(call, tool);
        if (judgement.kind === 'deny') return notRun(call, `A rule denies this call: ${judgement.reason}`);
        if (judgement.kind === 'run') return prepareCall(this.#options.servers, { ...call, args: judgement.args }, tool, this.#calls);
        const why = written === undefined ? undefined : whyUnbindable(written);
        return why === undefined ? call : notRun(call, why);
      }),
    );
    for (const one of planned)
      if ('role' in one) refused.push(one);
      else if ('prepared' in one) ready.push(one);
      else waiting.push(one);
    const said: Message = { role: 'assistant', text, calls: read.map(({ call }) => call) };
    return { said, refused, ready, waiting };
  }

  /** The step is on the log with its dispatches, in one batch, before anything is sent (L3). */
  async #send(step: number, added: readonly Message[], ready: readonly ReadyCall[]): Promise<ToolResult[]> {
    const { log, signal } = this.#scope;
    let dispatched: Met[];
    try {
      const dispatches = ready.map((call) => dispatchOf(call, log.run, 1));
      [, ...dispatched] = await log.step(
        added,
        () => signal.throwIfAborted(),
        (ref) => [log.stepped(step, ref), ...dispatches],
      );
    } catch (error) {
      for (const { prepared } of ready) prepared.release();
      throw error;
    }
    this.#toolCalls += ready.length;
    const sent = ready.map((call, i) => this.#sender.send(call, dispatched[i]!, this.#calls));
    // None is left behind running: a call that fails for want of a standing attempt ends the turn when all have settled.
    const settled = await Promise.allSettled(sent);
    signal.throwIfAborted();
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  async #complete(step: number, added: readonly Message[], text: string): Promise<TurnAnswer> {
    const { log } = this.#scope;
    const { sessions } = this.#options;
    const { turnId, runId, key } = log.run;
    const { handOver } = this.#calls;
    const usage = this.#usage;
    const settled = async (): Promise<void> => {
      await log.durable();
      sessions.fire({ kind: 'turn-end', turnId });
    };
    const met = await log.step([...added, { role: 'assistant', text }], settled, (ref) => [
      log.stepped(step, ref),
      {
        type: 'turn.completed',
        data: {
          turnId,
          runId,
          steps: step,
          toolCalls: this.#toolCalls,
          private: ref,
          liveToolSessions: sessions.liveOf(key),
          ...(usage && { usage }),
        },
      },
    ]);
    return {
      kind: 'complete',
      output: text,
      artifacts: handOver.notes,
      ...(handOver.failure && { handOverFailure: handOver.failure }),
      position: met.at(-1)!.record,
    };
  }

  #count(usage: Usage | undefined): void {
    if (!usage) return;
    const { inputTokens = 0, outputTokens = 0 } = this.#usage ?? {};
    this.#usage = { ...usage, inputTokens: inputTokens + usage.inputTokens, outputTokens: outputTokens + usage.outputTokens };
  }
}
