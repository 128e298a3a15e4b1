import { type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AgentCoreSettingsError } from './errors.js';
import { perCallFetch } from './per-call.js';
import { Reuse } from './reuse.js';
import type { RuntimeConnections } from './runtime-connections.js';
import { stopUrlBeside } from './stop-runtime-session.js';

export interface AgentCoreTransportOptions {
  /** What is invoked: `https://bedrock-agentcore.<region>.amazonaws.com/runtimes/<encoded ARN>/invocations?qualifier=<endpoint>`. */
  readonly url: string;
  /** On every request and on the stop, `authorization` among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly strategy: 'per-call' | 'reuse';
  /** Where sessions are stopped, if not beside `url`. */
  readonly stopUrl?: string;
  /** Bound of a stop. */
  readonly closeMs: number;
  /** Shared by all transports of the process; `per-call` puts nothing in it. */
  readonly connections: RuntimeConnections;
  /** What sends a request; the session headers are on it by then. */
  readonly fetch?: FetchLike;
}

/**
 * A transport to an MCP server behind Amazon Bedrock AgentCore Runtime, for one isolation key. `terminateSession()` ends the remote
 * session, `close()` does not (M22).
 * @throws AgentCoreSettingsError for a strategy or a URL that it cannot work with
 */
export function agentCoreTransport(options: AgentCoreTransportOptions): StreamableHTTPClientTransport {
  const url = new URL(options.url);
  const { headers, connections } = options;
  const inner = options.fetch ?? fetch;
  switch (options.strategy) {
    case 'per-call':
      return new StreamableHTTPClientTransport(url, { fetch: perCallFetch(inner), requestInit: { headers } });
    case 'reuse': {
      const stopUrl = options.stopUrl === undefined ? stopUrlBeside(url) : new URL(options.stopUrl);
      const reuse = new Reuse({ inner, connections, stop: { url: stopUrl, headers, timeoutMs: options.closeMs } });
      return new ReuseTransport(url, headers, reuse);
    }
    default:
      throw new AgentCoreSettingsError('ERR_AGENTCORE_STRATEGY', 'The strategy of an AgentCore server is per-call or reuse.');
  }
}

class ReuseTransport extends StreamableHTTPClientTransport {
  readonly #reuse: Reuse;

  constructor(url: URL, headers: Readonly<Record<string, string>>, reuse: Reuse) {
    super(url, { fetch: reuse.fetch, requestInit: { headers } });
    this.#reuse = reuse;
  }

  override async close(): Promise<void> {
    this.#reuse.forget();
    await super.close();
  }
}
