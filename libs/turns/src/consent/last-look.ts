import type { ToolCall } from '@doorledger/agent';
import { isCommitted, type PausedRequest } from '@doorledger/consent';

/** N22: asked once more, right before the dispatch of an approved call. */
export function whyNotDispatched(
  request: PausedRequest,
  { args }: ToolCall,
  toolHash: string,
  notAfter: number | undefined,
): string | undefined {
  if (toolHash !== request.call.toolHash) return 'The tool has changed since it was approved, so it did not run.';
  if (!isCommitted({ ...request, call: { ...request.call, args: args as typeof request.call.args } }))
    return 'The arguments are not the approved ones, so the call did not run.';
  if (notAfter !== undefined && Date.now() > notAfter) return 'The approval was used too late, so the call did not run.';
  return undefined;
}
