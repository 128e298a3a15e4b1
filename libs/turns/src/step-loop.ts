import type { Agent, Message, ToolResult, Usage } from '@doorledger/agent';
import type { Fact } from '@doorledger/contracts';
import type { Claims, Met } from '@doorledger/event-log';
import type { ToolServers } from '@doorledger/mcp';
import type { ToolSessionTier } from '@doorledger/tool-sessions';
import { agentStep } from './agent-step.js';
import { dispatchOf, prepareRound, type CallRound } from './call-round.js';
import { CallSender, undoDispatch, type CallScope } from './call-sender.js';
import type { ContentScope, PrivateWriter } from './content.js';
import type { FactLane } from './fact-lane.js';
import { HandOver, type HandOverBounds } from './hand-over.js';
import type { Lease, Run } from './lease.js';
import { LostRunError } from './lost-run.js';
import { turnBound } from './turn-error.js';
import type { TurnAnswer, TurnAsk } from './turn-ask.js';

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
  readonly bounds: StepBounds;
}

/** One run's steps: the agent speaks, its calls are dispatched and sent, their results are heard, until it answers (spec 6). */
export class StepLoop {
  readonly #options: StepLoopOptions;
  readonly #ask: TurnAsk;
  readonly #run: Run;
  readonly #scope: ContentScope;
  readonly #calls: CallScope;
  readonly #sender: CallSender;
  readonly #signal: AbortSignal;
  #toolCalls = 0;
  #usage?: Usage;

  constructor(options: StepLoopOptions, ask: TurnAsk, run: Run, lease: Lease, owner: ContentScope['owner'], signal: AbortSignal) {
    this.#options = options;
    this.#ask = ask;
    this.#run = run;
    this.#scope = { ...run, owner };
    this.#signal = signal;
    this.#calls = { run, lease, handOver: new HandOver(options.content, owner, options.bounds, signal), watch: ask.watch, signal };
    this.#sender = new CallSender(options);
  }

  /** Tokens its models took so far. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /**
   * @param before what was said in the session before
   * @param added what this run adds before its first step
   * @throws LostRunError; TurnError `ERR_TURN_BOUND`; what the agent throws
   */
  async carry(before: readonly Message[], added: readonly Message[]): Promise<TurnAnswer> {
    const { agent, bounds, servers } = this.#options;
    const { watch } = this.#ask;
    let messages = before;
    for (let step = 1; step <= bounds.steps; step++) {
      messages = [...messages, ...added];
      watch?.step(step);
      const { text, calls = [], usage } = await agentStep(agent, messages, servers.tools(), this.#signal, (piece) => watch?.piece(piece));
      this.#count(usage);
      if (calls.length === 0) return await this.#complete(step, added, text);
      if (calls.length > bounds.callsPerStep)
        throw turnBound('callsPerStep', 'The agent asked for more tool calls in one step than it may.');
      const round = await prepareRound(servers, calls, this.#run, this.#ask);
      const said: Message = { role: 'assistant', text, calls: round.calls };
      messages = [...messages, said, ...round.refused];
      added = await this.#send(step, [...added, said, ...round.refused], round);
    }
    throw turnBound('steps', 'The agent took more steps than a turn may have.');
  }

  /** The step is on the log with its dispatches, in one batch, before anything is sent (L3). */
  async #send(step: number, added: readonly Message[], { ready }: CallRound): Promise<ToolResult[]> {
    let dispatched: Met[];
    try {
      const ref = await this.#options.content.messages(this.#scope, added);
      this.#signal.throwIfAborted();
      const { turnId, runId } = this.#run;
      const stepped: Fact = { type: 'turn.stepped', data: { turnId, runId, step, private: ref } };
      const dispatches = ready.map((call) => dispatchOf(call, this.#run, 1));
      [, ...dispatched] = await this.#append([stepped, ...dispatches]);
    } catch (error) {
      for (const { prepared } of ready) prepared.release();
      throw error;
    }
    this.#toolCalls += ready.length;
    const sent = ready.map((call, i) => this.#sender.send(call, dispatched[i]!, this.#calls));
    // None is left behind running: a call that fails for want of a standing attempt ends the turn when all have settled.
    const settled = await Promise.allSettled(sent);
    this.#signal.throwIfAborted();
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  async #complete(step: number, added: readonly Message[], text: string): Promise<TurnAnswer> {
    const { content, lane, sessions } = this.#options;
    const { turnId, runId } = this.#run;
    const { handOver } = this.#calls;
    const ref = await content.messages(this.#scope, [...added, { role: 'assistant', text }]);
    await lane.durable();
    sessions.fire({ kind: 'turn-end', turnId });
    const usage = this.#usage;
    const met = await this.#append([
      { type: 'turn.stepped', data: { turnId, runId, step, private: ref } },
      {
        type: 'turn.completed',
        data: {
          turnId,
          runId,
          steps: step,
          toolCalls: this.#toolCalls,
          private: ref,
          liveToolSessions: sessions.liveOf(this.#run.key),
          ...(usage && { usage }),
        },
      },
    ]);
    return {
      output: text,
      artifacts: handOver.notes,
      ...(handOver.failure && { handOverFailure: handOver.failure }),
      position: met.at(-1)!.record,
    };
  }

  async #append(facts: readonly Fact[]): Promise<Met[]> {
    const from = performance.now();
    const met = await this.#options.claims.append(this.#run.key, facts, undoDispatch);
    if (met.some(({ verdict }) => !verdict.stands)) throw new LostRunError();
    this.#calls.lease.stood(from);
    return met;
  }

  #count(usage: Usage | undefined): void {
    if (!usage) return;
    const { inputTokens = 0, outputTokens = 0 } = this.#usage ?? {};
    this.#usage = { ...usage, inputTokens: inputTokens + usage.inputTokens, outputTokens: outputTokens + usage.outputTokens };
  }
}
