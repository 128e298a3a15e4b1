import { withSecrets, type ToolServerConfig } from '@doorledger/config';
import type { ServerSettings } from '@doorledger/mcp';
import type { ModuleServer } from './module-tools/module-servers.js';

/** What a tool server is given where the configuration says nothing, in ms and bytes. */
const defaults = {
  scope: 'run',
  tools: {},
  connectMs: 10_000,
  listMs: 10_000,
  callMs: 120_000,
  idleMs: 60_000,
  closeMs: 5_000,
  maxResultBytes: 1024 * 1024,
  strict: false,
  fence: false,
} as const;

/** Servers whose tools run in the host (T6). */
export const moduleServers = (servers: readonly ToolServerConfig[]): ModuleServer[] =>
  servers.flatMap(({ module, ...server }) => (module === undefined ? [] : [{ ...defaults, ...server, module }]));

/**
 * The tool servers of the configuration that speak MCP, with their credentials read (M6).
 * @throws ConfigError that names what is missing
 */
export function toolServerSettings(servers: readonly ToolServerConfig[], env = process.env, base = process.cwd()): ServerSettings[] {
  return servers.flatMap(({ command, env: variables, cwd, url, headers, agentcore, module, ...server }) => {
    if (module !== undefined) return [];
    const secrets = (values: Readonly<Record<string, string>> = {}) => withSecrets(`Tool server ${server.name}`, values, { env, base });
    return [{ ...defaults, ...server, transport: transportOf() }];

    function transportOf(): ServerSettings['transport'] {
      if (command) {
        const [program, ...args] = command;
        return { kind: 'stdio', command: program!, args, env: secrets(variables), ...(cwd !== undefined && { cwd }) };
      }
      if (agentcore) return { kind: 'agentcore', strategy: 'per-call', ...agentcore, headers: secrets(headers) };
      return { kind: 'http', url: url!, headers: secrets(headers) };
    }
  });
}
