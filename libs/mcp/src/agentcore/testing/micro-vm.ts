import { randomUUID } from 'node:crypto';

export interface RpcMessage {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly who?: string }; readonly protocolVersion?: string };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface MicroVmOptions {
  /** Whether the MCP server that is deployed keeps sessions. */
  readonly keepsSessions: boolean;
  /** Names its sessions; random by default. */
  readonly nameSession?: () => string;
  /** Speaks 2026-07-28 instead of what came before. */
  readonly speaks2026?: boolean;
}

/**
 * What one microVM runs: an MCP server with one tool, `remember {who}`, which answers whom this machine has served so far. A server that
 * keeps sessions names its own and refuses strangers as the official SDKs do; one that keeps none takes every request.
 */
export class MicroVm {
  readonly served: string[] = [];
  readonly #sessions = new Set<string>();
  readonly #options: MicroVmOptions;

  constructor(options: MicroVmOptions) {
    this.#options = options;
  }

  answer(message: RpcMessage, mcpSessionId: string | undefined): HttpAnswer {
    const { keepsSessions, speaks2026 } = this.#options;
    if (message.method === 'initialize' && speaks2026) return refusal(400, -32022, 'Unsupported protocol version');
    if (message.method === 'server/discover' && speaks2026) return result(message, discovered);
    if (message.method === 'initialize') return this.#initialize(message);
    if (keepsSessions && mcpSessionId === undefined) return refusal(400, -32000, 'Bad Request: No valid session ID provided');
    if (keepsSessions && !this.#sessions.has(mcpSessionId!)) return refusal(404, -32001, 'Session not found');
    if (message.id === undefined) return { status: 202, headers: {} };
    return result(message, this.#resultOf(message));
  }

  #initialize(message: RpcMessage): HttpAnswer {
    const body = result(message, {
      protocolVersion: message.params!.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'micro-vm', version: '1' },
    });
    if (!this.#options.keepsSessions) return body;
    const mcpSessionId = (this.#options.nameSession ?? randomUUID)();
    this.#sessions.add(mcpSessionId);
    return { ...body, headers: { ...body.headers, 'mcp-session-id': mcpSessionId } };
  }

  #resultOf(message: RpcMessage): object {
    if (message.method === 'tools/list') return { tools: [{ name: 'remember', inputSchema: { type: 'object' } }], ...uncached };
    if (message.method !== 'tools/call') return {};
    this.served.push(message.params!.arguments!.who!);
    return { content: [{ type: 'text', text: this.served.join(' ') }] };
  }
}

const uncached = { ttlMs: 0, cacheScope: 'private' };
const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...uncached };

/** As an event stream, which is how servers answer calls that may take long. */
function result(message: RpcMessage, value: object): HttpAnswer {
  const json = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...value } });
  if (message.method !== 'tools/call') return { status: 200, headers: { 'content-type': 'application/json' }, body: json };
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: `event: message\ndata: ${json}\n\n` };
}

function refusal(status: number, code: number, message: string): HttpAnswer {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  return { status, headers: { 'content-type': 'application/json' }, body };
}
