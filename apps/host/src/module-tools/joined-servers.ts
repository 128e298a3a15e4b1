import type { ToolServers } from '@doorledger/mcp';

export type Servers = Pick<ToolServers, 'start' | 'tools' | 'prepare' | 'close'>;

/** Several kinds of tool servers as one. Their names are the configuration's, so no two share one. */
export function joinedServers(parts: readonly Servers[]): Servers {
  const of = (server: string): Servers => {
    const part = parts.find((one) => one.tools().some((tool) => tool.server === server)) ?? parts[0];
    if (!part) throw new Error('There is no tool server.');
    return part;
  };
  return {
    start: async () => void (await Promise.all(parts.map((part) => part.start()))),
    tools: () => (parts.length === 1 ? parts[0]!.tools() : parts.flatMap((part) => part.tools())),
    prepare: async (context, server, tool) => of(server).prepare(context, server, tool),
    close: async () => void (await Promise.all(parts.map((part) => part.close()))),
  };
}
