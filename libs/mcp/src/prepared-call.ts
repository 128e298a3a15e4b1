import type { CallEnd, SendOptions } from './call-end.js';
import { isHandleLost } from './call-failure.js';
import type { Connection } from './connection.js';
import { callTool } from './tool-call.js';

/** A call that may be sent: its tool session is open and counts it until it is released. */
export interface PreparedCall {
  /** Absent where nothing is held (M25). */
  readonly toolSessionId?: string;
  /** The definition its session was opened with (M2); another one is offered where the tool changed since. */
  readonly toolHash: string;
  /** Sends it, once. Never rejects. */
  send(args: Readonly<Record<string, unknown>>, options: SendOptions): Promise<CallEnd>;
  /** Idempotent; also when nothing was sent. */
  release(): void;
}

export interface Preparation {
  readonly connection: Connection;
  readonly tool: string;
  readonly toolHash: string;
  readonly toolSessionId?: string;
  readonly onHandleLost: () => void;
  readonly release: () => void;
}

export function preparedCall({ connection, tool, toolHash, toolSessionId, onHandleLost, release }: Preparation): PreparedCall {
  return {
    ...(toolSessionId !== undefined && { toolSessionId }),
    toolHash,
    async send(args, options) {
      const { fence, ...rest } = options;
      const end = await callTool(connection, { ...rest, ...(fence && connection.settings.fence && { fence }), tool, args });
      if (isHandleLost(end)) onHandleLost();
      return end;
    },
    release,
  };
}
