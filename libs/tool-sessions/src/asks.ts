import type { CallContext, Scope } from './call-context.js';
import type { Cleanup, CloseReason } from './cleanup.js';
import type { Refusal } from './refusal.js';

/** What a tool session is asked for. */
export interface Ask {
  /** Part of the registration's identity: at an MCP server the server's (T5), in the host the tool's. */
  readonly name: string;
  /** Server and tool as the facts name them: `tool` is the one whose call opened it. */
  readonly server: string;
  readonly tool: string;
  /** A word of the operator's for people, cut at 200 characters. It is public: never a person's data. */
  readonly label?: string;
  readonly context: CallContext;
}

export interface OpenAsk extends Ask {
  readonly scope: Scope;
}

export interface RegisterAsk extends Ask {
  /** `run` where none is given (T11). */
  readonly scope?: Scope;
  /** Keeps several of a tool apart, always below the scope's isolation key. */
  readonly key?: string;
  readonly cleanup: Cleanup;
}

/** What a start brought up, and how it is ended. */
export interface Started<R> {
  readonly resource: R;
  stop(reason: CloseReason): Promise<void>;
}

export type Start<R> = (opened: { readonly toolSessionId: string }) => Promise<Started<R>>;

export interface OpenedSession<R> {
  readonly outcome: 'started' | 'reused';
  readonly toolSessionId: string;
  readonly keyHash: string;
  /** Calls that were given it, this one included. */
  readonly calls: number;
  readonly resource: R;
  /** The call is over. Idempotent. */
  release(): void;
}

export type OpenAnswer<R> = OpenedSession<R> | Refusal;

export type RegisterAnswer =
  | { readonly outcome: 'started' | 'reused'; readonly keyHash: string; readonly calls: number }
  | (Refusal & { readonly keyHash?: undefined; readonly calls: 0 });
