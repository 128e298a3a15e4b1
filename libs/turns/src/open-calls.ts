import type { Message, ToolCall, ToolResult } from '@doorledger/agent';
import type { SessionState } from '@doorledger/event-log';

/**
 * L14: a result for each call that earlier runs left without one, so that the agent knows of it; none is run again. A call
 * that stands in a step's record was dispatched in the same batch: what the session does not remember as unresolved has ended.
 */
export function resultsOfOpenCalls(history: readonly Message[], { unresolved }: SessionState): ToolResult[] {
  const open = new Map<string, ToolCall>();
  for (const message of history) {
    if (message.role === 'assistant') for (const call of message.calls ?? []) open.set(call.callId, call);
    if (message.role === 'tool') open.delete(message.callId);
  }
  const unknown = new Set(unresolved.map(({ callId }) => callId));
  return [...open.values()].map(({ callId, name }) => ({ role: 'tool', callId, name, ...(unknown.has(callId) ? notKnown : notKept) }));
}

const notKnown = {
  outcome: 'unknown',
  text: 'It is not known whether this call ran: the host that sent it was lost. It is not sent again.',
} as const;
const notKept = {
  outcome: 'unknown',
  text: 'This call ended, but its turn ended before the result was kept. It is not sent again.',
} as const;
