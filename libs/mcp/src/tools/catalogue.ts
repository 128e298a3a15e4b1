import type { Scope } from '@doorledger/tool-sessions';
import { ToolServersRefusedError } from '../errors.js';
import type { OfferedTool, ServerSettings } from '../settings.js';
import type { ListedTool } from './tool-list.js';

/** A tool whose definition is another one than before (M2). */
export interface ChangedTool {
  readonly tool: string;
  readonly from: string;
  readonly to: string;
}

/** What a new list of a server meant. */
export interface Relisted {
  readonly changed: readonly ChangedTool[];
  /** Names that are not offered, since another tool has them already (M7). */
  readonly dropped: readonly string[];
}

/** Every tool that is offered, by its unique name (M7). Reading it is O(1). */
export class Catalogue {
  readonly #listed = new Map<string, ReadonlyMap<string, ListedTool>>();
  readonly #offered = new Map<string, OfferedTool>();
  #tools: readonly OfferedTool[] = [];

  get tools(): readonly OfferedTool[] {
    return this.#tools;
  }

  find(server: string, tool: string): OfferedTool | undefined {
    const offered = this.#offered.get(`${server}.${tool}`);
    return offered?.server === server && offered.tool === tool ? offered : undefined;
  }

  /** The definitions a session of this server is opened with; a later list is another map (M2). */
  pins(server: string): ReadonlyMap<string, ListedTool> {
    return this.#listed.get(server) ?? new Map();
  }

  /** The server's tools from now on. A name that another tool has already is dropped; it is the caller's to say so loudly. */
  list(settings: ServerSettings, listed: readonly ListedTool[]): Relisted {
    const { name: server } = settings;
    const before = this.pins(server);
    for (const [name, offered] of this.#offered) if (offered.server === server) this.#offered.delete(name);
    const kept = new Map<string, ListedTool>();
    const changed: ChangedTool[] = [];
    const dropped: string[] = [];
    for (const one of listed) {
      const offered = offeredOf(settings, one);
      if (this.#offered.has(offered.name)) {
        dropped.push(offered.name);
        continue;
      }
      this.#offered.set(offered.name, offered);
      kept.set(offered.tool, one);
      const from = before.get(offered.tool)?.hash;
      if (from !== undefined && from !== one.hash) changed.push({ tool: offered.tool, from, to: one.hash });
    }
    this.#listed.set(server, kept);
    this.#tools = [...this.#offered.values()];
    return { changed, dropped };
  }
}

/** @throws ToolServersRefusedError where a list given at the start was ambiguous (M7) */
export function refuseAmbiguous(dropped: readonly string[]): void {
  const [name] = dropped;
  if (name === undefined) return;
  throw new ToolServersRefusedError('ERR_TOOL_NAME_AMBIGUOUS', `Two tools are both named "${name}". Rename one of their servers.`);
}

function offeredOf(settings: ServerSettings, { definition, hash }: ListedTool): OfferedTool {
  const { name: tool, description, inputSchema } = definition;
  const scope: Scope = (Object.hasOwn(settings.tools, tool) ? settings.tools[tool]?.scope : undefined) ?? settings.scope;
  return {
    name: `${settings.name}.${tool}`,
    server: settings.name,
    tool,
    ...(description !== undefined && { description }),
    inputSchema,
    hash,
    scope,
  };
}
