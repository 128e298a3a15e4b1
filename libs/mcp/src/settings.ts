import type { Scope } from '@doorledger/tool-sessions';

/** How a tool server is reached. `env` and `headers` hold its credentials: they are in no fact, log line, error or answer (M6). */
export type TransportSettings =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Added to the few harmless variables every server gets (PATH, HOME, …); nothing else of the host's is inherited. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'agentcore';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly strategy: 'per-call' | 'reuse';
      readonly stopUrl?: string;
    };

/** One tool server as the operator configured it. All bounds are milliseconds (M5). */
export interface ServerSettings {
  readonly name: string;
  readonly transport: TransportSettings;
  /** The scope of its tools where a tool has none of its own. */
  readonly scope: Scope;
  readonly tools: Readonly<Record<string, { readonly scope?: Scope; readonly timeoutMs?: number }>>;
  readonly connectMs: number;
  readonly listMs: number;
  /** A call's total, whatever its progress (M8). */
  readonly callMs: number;
  /** The longest silence of a call; progress begins it anew (M8). */
  readonly idleMs: number;
  readonly closeMs: number;
  /** Of one answer as it comes on the wire, in bytes (M6). */
  readonly maxResultBytes: number;
  /** `app-authorized` (M13): what was not issued is not sent, and there is no retry series. */
  readonly strict: boolean;
  /** The server can fence (L2): its calls carry `_meta` `io.doorledger/fence`. */
  readonly fence: boolean;
}

/** A tool as it is offered to agents. */
export interface OfferedTool {
  /** `server.tool`, unique over all servers (M7). */
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly description?: string;
  /** JSON Schema of the arguments, as the server gave it. */
  readonly inputSchema: unknown;
  /** Hex SHA-256 of the definition (N1, M2). */
  readonly hash: string;
  readonly scope: Scope;
}
