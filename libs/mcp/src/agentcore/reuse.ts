import type { FetchLike } from '@modelcontextprotocol/client';
import type { RuntimeConnections } from './runtime-connections.js';
import { MCP_SESSION, newRuntimeSessionId, noStreamHere, RUNTIME_SESSION, withMcpSession } from './session-headers.js';
import { type StopAsk, stopRuntimeSession } from './stop-runtime-session.js';

export interface ReuseOptions {
  readonly inner: FetchLike;
  readonly connections: RuntimeConnections;
  readonly stop: Omit<StopAsk, 'fetch' | 'signal'>;
}

/**
 * The strategy `reuse`, for one transport and so for one isolation key of one server (M24): the request without a session opens a runtime
 * session, the answer to `initialize` names the server's own, and the client is shown a handle that stands for both.
 */
export class Reuse {
  readonly #owner = Symbol('reuse');
  readonly #options: ReuseOptions;
  #handle: string | undefined;

  constructor(options: ReuseOptions) {
    this.#options = options;
  }

  readonly fetch: FetchLike = async (url, init) => {
    const method = init?.method;
    // The runtime passes on what is posted and nothing else: a stream would be its 404, which reads as a session that is gone.
    if (method !== 'POST' && method !== 'DELETE') return noStreamHere();
    const headers = new Headers(init?.headers);
    const handle = headers.get(MCP_SESSION);
    if (handle === null) return method === 'POST' ? this.#open(url, init, headers) : new Response(null, { status: 204 });
    const { connections } = this.#options;
    const { runtimeSessionId, mcpSessionId } = connections.of(handle, this.#owner);
    if (method === 'DELETE') {
      // Forgotten first: whatever comes of the stop, nothing may reach a session that was given up.
      connections.forget(handle);
      return stopRuntimeSession({ ...this.#options.stop, fetch: this.#options.inner, signal: init?.signal }, runtimeSessionId);
    }
    headers.set(MCP_SESSION, mcpSessionId);
    headers.set(RUNTIME_SESSION, runtimeSessionId);
    return withMcpSession(await this.#options.inner(url, { ...init, headers }), handle);
  };

  /** Nothing is stopped (M22); what nobody can ask for any more need not be remembered. */
  forget(): void {
    if (this.#handle !== undefined) this.#options.connections.forget(this.#handle);
  }

  async #open(url: string | URL, init: RequestInit | undefined, headers: Headers): Promise<Response> {
    const runtimeSessionId = newRuntimeSessionId();
    headers.set(RUNTIME_SESSION, runtimeSessionId);
    const response = await this.#options.inner(url, { ...init, headers });
    const mcpSessionId = response.headers.get(MCP_SESSION);
    // The runtime names a session in every answer; only a handshake begins one that the client will come back to.
    if (!mcpSessionId || !response.ok || !isInitialize(headers, init?.body)) return withMcpSession(response, undefined);
    this.forget();
    this.#handle = this.#options.connections.hold({ owner: this.#owner, runtimeSessionId, mcpSessionId });
    return withMcpSession(response, this.#handle);
  }
}

function isInitialize(headers: Headers, body: RequestInit['body']): boolean {
  if (typeof body !== 'string' || headers.has('mcp-method')) return false;
  return (JSON.parse(body) as { method?: unknown }).method === 'initialize';
}
