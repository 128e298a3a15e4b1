export interface RpcMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly _meta?: Record<string, unknown>; readonly [name: string]: unknown };
}

/** One `tools/call` as it came. `times`: how often one with these arguments was received. */
export interface Posted {
  readonly message: RpcMessage;
  readonly args: Readonly<Record<string, unknown>>;
  readonly session: string | undefined;
  readonly times: number;
}

/** What a fault may do to its server. */
export interface SessionHolder {
  readonly url: string;
  /** What a listener that asks for it by event id is told, once. */
  readonly replay: Map<string, object>;
  /** From now on the session is answered 404. */
  forget(session: string | undefined): void;
}
