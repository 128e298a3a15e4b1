import type { CallContext, Scope } from './call-context.js';
import type { Cleanup } from './cleanup.js';
import { ToolSessionRefusedError, settledCall } from './refusal.js';
import type { ToolSessionTier } from './tool-session-tier.js';

export interface TeardownWish {
  /** `run` where none is given. */
  readonly scope?: Scope;
  /** Keeps several of a tool apart within the scope. */
  readonly key?: string;
  readonly label?: string;
}

/** What a tool that runs in the host is given beside its arguments (T6). */
export interface HostToolCall {
  readonly sessionId?: string;
  readonly runId: string;
  readonly callId: string;
  readonly principal?: string;
  readonly signal: AbortSignal;
  /**
   * Has `cleanup` run once, when the scope ends. Answers `reused` where the tool registered under this key before: the first
   * cleanup stays, and the tool goes on with what it has.
   * @throws ToolSessionRefusedError inside the tool, with the refusal's code
   */
  onTeardown(
    cleanup: Cleanup,
    wish?: TeardownWish,
  ): { readonly outcome: 'started' | 'reused'; readonly keyHash: string; readonly calls: number };
}

export interface HostToolCallOptions {
  readonly tier: ToolSessionTier;
  readonly server: string;
  readonly tool: string;
  readonly context: CallContext;
  readonly signal: AbortSignal;
}

/** `settle` is called when the tool returned or threw: it fires `call-end`, and nothing can be registered after it. */
export function hostToolCall({ tier, server, tool, context, signal }: HostToolCallOptions): {
  readonly call: HostToolCall;
  settle(): number;
} {
  const { sessionId, principal, runId, callId } = context;
  let isSettled = false;
  return {
    call: {
      ...(sessionId && { sessionId }),
      runId,
      callId,
      ...(principal && { principal }),
      signal,
      onTeardown: (cleanup, wish = {}) => {
        if (isSettled) throw new ToolSessionRefusedError(settledCall);
        const answer = tier.register({ name: `${server}.${tool}`, server, tool, ...wish, context, cleanup });
        if (answer.outcome === 'refused') throw new ToolSessionRefusedError(answer);
        return answer;
      },
    },
    settle: () => {
      isSettled = true;
      return tier.fire({ kind: 'call-end', callId });
    },
  };
}
