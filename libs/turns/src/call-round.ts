import { randomUUID } from 'node:crypto';
import type { CallAsk, ToolCall, ToolResult } from '@doorledger/agent';
import { UnbindableError, parseArguments } from '@doorledger/consent';
import { DoorledgerError, type Fact, type FactData } from '@doorledger/contracts';
import type { OfferedTool, PreparedCall, ToolServers } from '@doorledger/mcp';
import type { CallContext } from '@doorledger/tool-sessions';
import type { Run } from './lease.js';

/** What a gated call was approved under (N20). */
export type Approval = Required<Pick<FactData<'tool-call.dispatched'>, 'requestId' | 'spend'>> &
  Pick<FactData<'tool-call.dispatched'>, 'notAfter'>;

/** In whose name a run calls tools. */
export interface CallOwner {
  readonly run: Run;
  /** Whose tool sessions the calls use. */
  readonly person: Omit<CallContext, 'turnId' | 'runId' | 'callId'>;
}

/** A call whose tool session is open: it can be dispatched. */
export interface ReadyCall {
  readonly call: ToolCall;
  readonly tool: OfferedTool;
  readonly context: CallContext;
  readonly prepared: PreparedCall;
  readonly approval?: Approval;
}

export const isReady = (one: ReadyCall | ToolResult): one is ReadyCall => 'prepared' in one;

/** What the agent asks for, with the host's own ids; `problem` in place of arguments that cannot be read. */
export function readAsks(asks: readonly CallAsk[]): { readonly call: ToolCall; readonly problem?: string; readonly text?: string }[] {
  return asks.map(({ name, args }) => {
    const read = typeof args === 'string' ? argsOf(args) : { args };
    return {
      call: { callId: randomUUID(), name, args: read.args },
      ...('problem' in read && { problem: read.problem }),
      ...(typeof args === 'string' && { text: args }),
    };
  });
}

/**
 * N4: what stands in the way of binding arguments to an approval, for the agent: the place of the value, never the value. `text`: as the
 * model wrote them; numbers that parsing changes are caught there only.
 */
export function whyUnbindable(text: string): string | undefined {
  try {
    parseArguments(text);
    return undefined;
  } catch (error) {
    if (error instanceof UnbindableError) return unbindable(error);
    throw error;
  }
}

export const unbindable = ({ code, path }: UnbindableError): string =>
  `These arguments cannot be approved as they are, so the call was refused (${code} at ${path}).`;

/** Opens or joins the tool session of a call (T12). A refusal is the agent's to hear: nothing was sent. */
export async function prepareCall(
  servers: Pick<ToolServers, 'prepare'>,
  call: ToolCall,
  tool: OfferedTool,
  { run, person }: CallOwner,
  approval?: Approval,
): Promise<ReadyCall | ToolResult> {
  const { turnId, runId } = run;
  const context: CallContext = { ...person, turnId, runId, callId: call.callId };
  try {
    const prepared = await servers.prepare(context, tool.server, tool.tool);
    return { call, tool, context, prepared, ...(approval && { approval }) };
  } catch (error) {
    if (error instanceof DoorledgerError) return notRun(call, `${error.message} (${error.code})`);
    throw error;
  }
}

/** The fact that one attempt of a call is about to be sent. */
export const dispatchOf = (
  { call, tool, prepared, approval }: Omit<ReadyCall, 'context'>,
  { turnId, runId }: Run,
  attempt: number,
): Fact => ({
  type: 'tool-call.dispatched',
  data: {
    turnId,
    runId,
    callId: call.callId,
    attempt,
    server: tool.server,
    tool: tool.tool,
    gated: approval !== undefined,
    ...approval,
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

/** How many calls reached their tool. */
export const ranOf = (results: readonly ToolResult[]): number => results.filter(({ outcome }) => outcome !== 'not-run').length;

/** As deep as arguments can be bound (N4); what is deeper could not be written to the history either. */
const MAX_DEPTH = 200;

/** The most brackets open at once outside of strings. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}

function argsOf(text: string): { args: ToolCall['args']; problem?: string } {
  try {
    const read: unknown = JSON.parse(text);
    if (depthOf(text) > MAX_DEPTH) return { args: {}, problem: 'The arguments are nested too deep.' };
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { args: read as ToolCall['args'] };
  } catch {
    // Said below: what a parser says quotes the text.
  }
  return { args: {}, problem: 'The arguments are not a JSON object.' };
}
