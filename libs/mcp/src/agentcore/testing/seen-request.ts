/** What the runtime's side saw of one request: tests judge by this, not by what the client believes it sent. */
export interface SeenRequest {
  readonly operation: 'invoke' | 'stop' | 'stream' | 'delete';
  readonly runtimeSessionId: string | undefined;
  readonly mcpSessionId: string | undefined;
  readonly authorization: string | undefined;
  readonly rpcMethod?: string;
  /** Whom a tool call was for. */
  readonly who?: string;
  readonly status: number;
}

/** The runtime sessions that served more than one key, and which: empty, unless isolation is broken (M24). */
export function sharedSessions(seen: readonly SeenRequest[]): ReadonlyMap<string, ReadonlySet<string>> {
  const served = new Map<string, Set<string>>();
  for (const { runtimeSessionId, who } of seen) {
    if (runtimeSessionId === undefined || who === undefined) continue;
    served.set(runtimeSessionId, (served.get(runtimeSessionId) ?? new Set()).add(who));
  }
  return new Map([...served].filter(([, whom]) => whom.size > 1));
}
