import { Client } from '@modelcontextprotocol/client';
import { agentCoreTransport, type AgentCoreTransportOptions } from '../agentcore-transport.js';
import { RuntimeConnections } from '../runtime-connections.js';
import type { LocalAgentCoreRuntime } from './local-runtime.js';

/** A client of the official SDK over a transport of ours. */
export interface Connected {
  readonly client: Client;
  readonly transport: ReturnType<typeof agentCoreTransport>;
  /** What the transport said went wrong. */
  readonly errors: Error[];
  /** Whom the microVM that answered has served so far, this one included. */
  remember(who: string): Promise<string>;
}

export async function connect(
  runtime: Pick<LocalAgentCoreRuntime, 'url'>,
  options: Partial<AgentCoreTransportOptions> & Pick<AgentCoreTransportOptions, 'strategy'>,
  protocol: 'legacy' | 'auto' = 'legacy',
): Promise<Connected> {
  const transport = agentCoreTransport({
    url: runtime.url,
    headers: {},
    closeMs: 5_000,
    connections: new RuntimeConnections(),
    ...options,
  });
  const client = new Client({ name: 'doorledger', version: '1' }, { versionNegotiation: { mode: protocol } });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  return {
    client,
    transport,
    errors,
    remember: async (who) => {
      const { content } = await client.callTool({ name: 'remember', arguments: { who } });
      return (content as { text: string }[])[0]!.text;
    },
  };
}
