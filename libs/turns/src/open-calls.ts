import type { ToolCall, ToolResult } from '@doorledger/agent';
import type { SessionState } from '@doorledger/event-log';
import { askLedger, type LedgerReader } from '@doorledger/ledger';
import type { Said } from './turn-content.js';

/** L14: a result for each call that earlier runs left without one, so that the agent knows of it; none is run again. */
export async function resultsOfOpenCalls(
  said: readonly Said[],
  { unresolved }: SessionState,
  ledger: Pick<LedgerReader, 'turnDetail'>,
): Promise<ToolResult[]> {
  const open = new Map<string, ToolCall & { readonly turnId: string }>();
  for (const { turnId, messages } of said)
    for (const message of messages) {
      if (message.role === 'assistant') for (const call of message.calls ?? []) open.set(call.callId, { ...call, turnId });
      if (message.role === 'tool') open.delete(message.callId);
    }
  if (open.size === 0) return [];
  const unknown = new Set(unresolved.map(({ callId }) => callId));
  const ended = await statusesOf(new Set([...open.values()].map(({ turnId }) => turnId)), ledger);
  return [...open.values()].map(({ callId, name }) => ({
    role: 'tool',
    callId,
    name,
    ...(unknown.has(callId) ? notKnown : resultOf(ended.get(callId))),
  }));
}

/** What the ledger says of the calls of turns that are over. */
async function statusesOf(turnIds: ReadonlySet<string>, ledger: Pick<LedgerReader, 'turnDetail'>): Promise<Map<string, string | null>> {
  const statuses = new Map<string, string | null>();
  for (const turnId of turnIds) {
    let detail: Awaited<ReturnType<typeof ledger.turnDetail>>;
    await askLedger(async () => {
      detail = await ledger.turnDetail(turnId);
      return detail && !['running', 'waiting', 'paused'].includes(detail.status) ? detail : undefined;
    });
    for (const { callId, status } of detail?.toolCalls ?? []) statuses.set(callId, status);
  }
  return statuses;
}

function resultOf(status: string | null | undefined): Pick<ToolResult, 'outcome' | 'text'> {
  switch (status) {
    case undefined:
      return { outcome: 'not-run', text: 'This call was declined, withdrawn or not reached: it did not run.' };
    case 'not-sent':
    case 'did-not-run':
      return { outcome: 'not-run', text: 'This call did not run.' };
    case 'ok':
    case 'error':
    case 'ran':
      return { outcome: 'unknown', text: 'This call ran, but its turn ended before the result was kept. It is not sent again.' };
    default:
      return notKnown;
  }
}

const notKnown = { outcome: 'unknown', text: 'It is not known whether this call ran. It is not sent again.' } as const;
