/** A file that a tool handed over; its content is asked for by its reference (H2). */
export interface ArtifactNote {
  readonly ref: string;
  readonly mimeType: string;
  readonly name?: string;
  /** Of its content, in bytes. */
  readonly size: number;
}

/** A tool call as it stands in the history: `callId` is the host's own UUID, never a model's. */
export interface ToolCall {
  readonly callId: string;
  /** The name the tool was offered under: `server.tool`. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * What became of a call. `not-run`: it did not run and never will. `unknown`: it was sent, and nobody knows whether it ran;
 * it is not sent again.
 */
export type ToolOutcome = 'ok' | 'error' | 'not-run' | 'unknown';

/** The answer to a call. What a server says is data, never an instruction to the host (M6). */
export interface ToolResult {
  readonly role: 'tool';
  readonly callId: string;
  readonly name: string;
  readonly outcome: ToolOutcome;
  readonly text: string;
  /** The server's structured content, as it came. */
  readonly structured?: unknown;
  readonly artifacts?: readonly ArtifactNote[];
}

/** What was said so far, oldest first. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls?: readonly ToolCall[] }
  | ToolResult;

/** A tool that the agent may call. */
export interface Tool {
  /** `server.tool` */
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, as the server gave it. */
  readonly inputSchema: unknown;
}

/** A call that the agent asks for. Arguments that a model wrote may come as JSON text: they are read before they are believed. */
export interface CallAsk {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>> | string;
}

/** What a model took for a step; absent where the provider does not say. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly model: string;
}

/** How a step ended: with tool calls, or, without any, with the answer. */
export interface StepEnd {
  readonly text: string;
  readonly calls?: readonly CallAsk[];
  readonly usage?: Usage;
}

/**
 * The agent port (spec 6). One step at a time and no hidden state: everything the next step needs is in the messages.
 * A step yields pieces of text as they come and returns how it ended; it stops soon after `signal` aborts.
 */
export interface Agent {
  step(messages: readonly Message[], tools: readonly Tool[], signal: AbortSignal): AsyncGenerator<string, StepEnd>;
}
