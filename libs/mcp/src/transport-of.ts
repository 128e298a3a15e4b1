import { StreamableHTTPClientTransport, type FetchLike, type Transport } from '@modelcontextprotocol/client';
import { agentCoreTransport } from './agentcore/agentcore-transport.js';
import type { RuntimeConnections } from './agentcore/runtime-connections.js';
import type { RequestId } from './requests/request-ledger.js';
import type { ServerSettings } from './settings.js';
import { StdioTransport } from './stdio/stdio-transport.js';

export interface TransportParts {
  readonly fetch: FetchLike;
  readonly runtime: RuntimeConnections;
  readonly maxMessageBytes: number;
  readonly onTooLarge: (id: RequestId) => void;
}

/** Ends a server's session by name: DELETE where there is one to end (M22). */
export type SessionTransport = Transport & { terminateSession?(): Promise<void> };

export function transportOf(settings: ServerSettings, parts: TransportParts): SessionTransport {
  const { transport, closeMs, maxResultBytes } = settings;
  switch (transport.kind) {
    case 'stdio':
      return new StdioTransport({
        ...transport,
        closeMs,
        maxResultBytes,
        maxMessageBytes: parts.maxMessageBytes,
        onTooLarge: parts.onTooLarge,
      });
    case 'http':
      return new StreamableHTTPClientTransport(new URL(transport.url), {
        fetch: parts.fetch,
        requestInit: { headers: { ...transport.headers } },
      });
    case 'agentcore':
      return agentCoreTransport({ ...transport, closeMs, connections: parts.runtime, fetch: parts.fetch });
  }
}
