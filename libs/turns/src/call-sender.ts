import type { ToolResult } from '@doorledger/agent';
import { DoorledgerError, currentTraceparent, type Fact } from '@doorledger/contracts';
import type { Claims, Met } from '@doorledger/event-log';
import type { CallEnd, PreparedCall, SendOptions, ToolServers } from '@doorledger/mcp';
import { SpanKind, inSpan } from '@doorledger/observability';
import type { ToolSessionTier } from '@doorledger/tool-sessions';
import { dispatchOf, notRun, type ReadyCall, type CallOwner } from './call-round.js';
import type { FactLane } from './fact-lane.js';
import type { HandOver } from './hand-over.js';
import type { Lease, Run } from './lease.js';
import { LostRunError } from './lost-run.js';
import type { TurnWatch } from './turn-ask.js';

/** M4: a call that was provably not sent is dispatched once more. */
const ATTEMPTS = 2;

/** OpenTelemetry's name for it; the tool's name is on the log as well, its arguments are in neither. */
const sendInSpan = (prepared: PreparedCall, { call }: ReadyCall, attempt: number, options: Omit<SendOptions, 'traceparent'>) =>
  inSpan(
    `execute_tool ${call.name}`,
    {
      kind: SpanKind.CLIENT,
      attributes: { 'gen_ai.tool.name': call.name, 'doorledger.call.id': call.callId, 'doorledger.attempt': attempt },
    },
    async (span) => {
      const end = await prepared.send(call.args, { ...options, traceparent: currentTraceparent() });
      span.setAttribute('doorledger.outcome', end.outcome);
      return end;
    },
  );

export interface CallSenderOptions {
  readonly servers: Pick<ToolServers, 'prepare'>;
  readonly sessions: Pick<ToolSessionTier, 'fire'>;
  readonly claims: Claims;
  readonly lane: FactLane;
}

/** What a turn gives its calls. */
export interface CallScope extends CallOwner {
  readonly lease: Lease;
  readonly handOver: HandOver;
  readonly watch?: TurnWatch;
  readonly signal: AbortSignal;
}

/** Sends calls whose dispatch was seen to stand (L3), each attempt at most once, and says on the log how it ended. */
export class CallSender {
  constructor(private readonly options: CallSenderOptions) {}

  /**
   * @param dispatched the standing dispatch of attempt 1
   * @throws ClaimUnknownError or LostRunError when a further attempt cannot be dispatched
   */
  async send(ready: ReadyCall, dispatched: Met, scope: CallScope): Promise<ToolResult> {
    const { call } = ready;
    const { run, lease, watch, signal } = scope;
    let { prepared } = ready;
    watch?.tool({ callId: call.callId, tool: call.name, state: 'called' });
    try {
      for (let attempt = 1; ; attempt++) {
        const end = await sendInSpan(prepared, ready, attempt, {
          signal,
          maySend: lease.maySend,
          // Gated calls have no retry series (L2).
          ...(ready.approval && { once: true }),
          fence: { callId: call.callId, partition: dispatched.record.partition, offset: dispatched.record.offset },
          onTry: (tried) => this.#add(run, { type: 'tool-call.attempted', data: { ...ofCall(ready, run, attempt), ...tried } }),
          onProgress: (progress) => watch?.tool({ callId: call.callId, tool: call.name, ...progress }),
        });
        const finished = finishedOf(end, ready, run, attempt);
        const isLast = end.outcome !== 'not-sent' || !end.mayDispatchAgain || attempt === ATTEMPTS || signal.aborted;
        if (isLast) {
          if (finished) this.#add(run, finished);
          return await this.#result(ready, end, scope);
        }
        prepared.release();
        const next = await this.#prepareAgain(ready);
        if ('role' in next) {
          this.#add(run, finished!);
          return next;
        }
        prepared = next;
        const from = performance.now();
        dispatched = await this.#dispatchAgain({ ...ready, prepared }, run, attempt + 1, finished!);
        lease.stood(from);
      }
    } finally {
      prepared.release();
      this.options.sessions.fire({ kind: 'call-end', callId: call.callId });
    }
  }

  async #prepareAgain({ call, tool, context }: ReadyCall): Promise<PreparedCall | ToolResult> {
    try {
      return await this.options.servers.prepare(context, tool.server, tool.tool);
    } catch (error) {
      if (error instanceof DoorledgerError) return notRun(call, `${error.message} (${error.code})`);
      throw error;
    }
  }

  /** L2: renewed in the same batch, so that it cannot be void for the lease alone. */
  async #dispatchAgain(ready: ReadyCall, run: Run, attempt: number, finished: Fact): Promise<Met> {
    const { turnId, runId, key } = run;
    const facts = [finished, { type: 'turn.renewed', data: { turnId, runId } } as const, dispatchOf(ready, run, attempt)];
    const met = await this.options.claims.append(key, facts, (fact) => undoDispatch(fact));
    const dispatched = met.at(-1)!;
    if (!dispatched.verdict.stands) throw new LostRunError();
    return dispatched;
  }

  #add({ key }: Run, fact: Fact): void {
    this.options.lane.add(key, fact);
  }

  async #result({ call }: ReadyCall, end: CallEnd, { handOver, watch, run }: CallScope): Promise<ToolResult> {
    const result = await resultOf(call, end, (files) => handOver.store(run, files));
    watch?.tool({ callId: call.callId, tool: call.name, state: result.outcome });
    return result;
  }
}

/** L7: a copy of a dispatch that its host does not act on any more was not sent. */
export function undoDispatch(fact: Fact): Fact | undefined {
  if (fact.type !== 'tool-call.dispatched') return undefined;
  const { turnId, runId, callId, attempt } = fact.data;
  return {
    type: 'tool-call.finished',
    data: { turnId, runId, callId, attempt, outcome: 'not-sent', errorClass: 'GivenUp', durationMs: 0 },
  };
}

const ofCall = ({ call }: ReadyCall, { turnId, runId }: Run, attempt: number) => ({ turnId, runId, callId: call.callId, attempt });

/** Nothing is written of a call whose end is not known: its run's end makes it `outcome-unknown` (N22). */
function finishedOf(end: CallEnd, ready: ReadyCall, run: Run, attempt: number): Fact | undefined {
  if (end.outcome === 'unknown') return undefined;
  const errorClass = 'errorClass' in end ? end.errorClass : undefined;
  return {
    type: 'tool-call.finished',
    data: {
      ...ofCall(ready, run, attempt),
      outcome: end.outcome,
      ...(errorClass !== undefined && { errorClass }),
      durationMs: Math.round(end.durationMs),
    },
  };
}

async function resultOf(
  { callId, name }: ReadyCall['call'],
  end: CallEnd,
  store: (files: Extract<CallEnd, { files: unknown }>['files']) => Promise<ToolResult['artifacts']>,
): Promise<ToolResult> {
  const of = { role: 'tool', callId, name } as const;
  switch (end.outcome) {
    case 'ok':
    case 'error': {
      const artifacts = end.files.length > 0 ? await store(end.files) : undefined;
      const { structured } = end;
      return {
        ...of,
        outcome: end.outcome,
        text: end.text,
        ...(structured !== undefined && { structured }),
        ...(artifacts && artifacts.length > 0 && { artifacts }),
      };
    }
    case 'not-sent':
      return notRun({ callId, name }, `The call was not sent (${end.errorClass}). It did not run.`);
    case 'cancelled':
      return { ...of, outcome: 'unknown', text: 'The call was cancelled while it ran.' };
    case 'unknown':
      return { ...of, outcome: 'unknown', text: `It is not known whether this call ran (${end.errorClass}). It is not sent again.` };
  }
}
