import { randomUUID } from 'node:crypto';
import type { CallAsk, ToolCall, ToolResult } from '@doorledger/agent';
import { DoorledgerError, type Fact } from '@doorledger/contracts';
import type { OfferedTool, PreparedCall, ToolServers } from '@doorledger/mcp';
import type { CallContext } from '@doorledger/tool-sessions';
import type { Run } from './lease.js';
import type { TurnAsk } from './turn-ask.js';

/** A call whose tool session is open: it can be dispatched. */
export interface ReadyCall {
  readonly call: ToolCall;
  readonly tool: OfferedTool;
  readonly context: CallContext;
  readonly prepared: PreparedCall;
}

/** The calls of one step, in the agent's order. */
export interface CallRound {
  readonly calls: readonly ToolCall[];
  readonly ready: readonly ReadyCall[];
  /** Results of those that cannot be dispatched: nothing of them was sent. */
  readonly refused: readonly ToolResult[];
}

/** Reads what the agent asks for and opens or joins the tool session of each call (T12). Never throws for one call's sake. */
export async function prepareRound(
  servers: Pick<ToolServers, 'tools' | 'prepare'>,
  asks: readonly CallAsk[],
  run: Run,
  ask: TurnAsk,
): Promise<CallRound> {
  const offered = new Map(servers.tools().map((tool) => [tool.name, tool]));
  const planned = asks.map(({ name, args }) => ({ tool: offered.get(name), call: { callId: randomUUID(), name, ...argsOf(args) } }));
  const prepared = await Promise.all(
    planned.map(async ({ tool, call: { problem, ...call } }): Promise<ReadyCall | ToolResult> => {
      if (!tool) return notRun(call, 'There is no such tool.');
      if (problem) return notRun(call, problem);
      const context = contextOf(call, run, ask);
      try {
        return { call, tool, context, prepared: await servers.prepare(context, tool.server, tool.tool) };
      } catch (error) {
        if (error instanceof DoorledgerError) return notRun(call, `${error.message} (${error.code})`);
        throw error;
      }
    }),
  );
  return {
    calls: planned.map(({ call: { callId, name, args } }) => ({ callId, name, args })),
    ready: prepared.filter((one): one is ReadyCall => 'prepared' in one),
    refused: prepared.filter((one): one is ToolResult => !('prepared' in one)),
  };
}

/** The fact that one attempt of a call is about to be sent. */
export const dispatchOf = ({ call, tool, prepared }: Omit<ReadyCall, 'context'>, { turnId, runId }: Run, attempt: number): Fact => ({
  type: 'tool-call.dispatched',
  data: {
    turnId,
    runId,
    callId: call.callId,
    attempt,
    server: tool.server,
    tool: tool.tool,
    gated: false,
    ...(prepared.toolSessionId !== undefined && { toolSessionId: prepared.toolSessionId }),
  },
});

export const notRun = ({ callId, name }: Pick<ToolCall, 'callId' | 'name'>, text: string): ToolResult => ({
  role: 'tool',
  callId,
  name,
  outcome: 'not-run',
  text,
});

const contextOf = ({ callId }: ToolCall, { turnId, runId }: Run, { session, signer, person }: TurnAsk): CallContext => ({
  ...person,
  ...(session && { sessionId: session.id, sessionRef: session.ref }),
  ...(signer !== undefined && { userRef: signer }),
  turnId,
  runId,
  callId,
});

const NOT_AN_OBJECT = 'The arguments are not a JSON object.';

function argsOf(args: CallAsk['args']): { args: ToolCall['args']; problem?: string } {
  if (typeof args !== 'string') return { args };
  try {
    const read: unknown = JSON.parse(args);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { args: read as ToolCall['args'] };
  } catch {
    // Said below: what a parser says quotes the text.
  }
  return { args: {}, problem: NOT_AN_OBJECT };
}
