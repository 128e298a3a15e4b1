/** A file a tool handed over. */
export interface ToolFile {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  readonly name?: string;
}

/**
 * How a call ended, as its host knows. `not-sent`: nothing of it left the host, or its server answered that it never
 * reached a tool (M4). `unknown`: it was sent and its end is not known; the host writes no `finished` and never sends it again.
 * `errorClass` is fit for a fact (T41); `text` is the server's data and is for the agent.
 */
export type CallEnd =
  | {
      readonly outcome: 'ok' | 'error';
      readonly text: string;
      readonly structured?: unknown;
      readonly files: readonly ToolFile[];
      readonly errorClass?: string;
      readonly durationMs: number;
    }
  | { readonly outcome: 'not-sent'; readonly errorClass: string; readonly mayDispatchAgain: boolean; readonly durationMs: number }
  | { readonly outcome: 'cancelled'; readonly durationMs: number }
  | { readonly outcome: 'unknown'; readonly errorClass: string; readonly durationMs: number };

/** One try of a retry series (M3). `waitMs`: how long the series waited before it. */
export interface CallTry {
  readonly try: number;
  readonly httpStatus?: number;
  readonly waitMs: number;
}

export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Where the call's dispatch stands on the log (L2); offsets of one session only grow. */
export interface Fence {
  readonly callId: string;
  readonly partition: number;
  readonly offset: number;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Asked right before anything leaves, each try of a series too; false: it is not sent (L2). */
  readonly maySend?: () => boolean;
  /** No retry series: the first answer is the answer (L2). */
  readonly once?: boolean;
  readonly onTry?: (tried: CallTry) => void;
  readonly onProgress?: (progress: CallProgress) => void;
  readonly fence?: Fence;
  readonly traceparent?: string;
}
