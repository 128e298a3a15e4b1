import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { DoorledgerError, type Fact } from '@doorledger/contracts';
import type { CallContext, ToolSessionTier } from '@doorledger/tool-sessions';
import { RuntimeConnections } from './agentcore/runtime-connections.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { ToolCallError, ToolServersRefusedError, classOf } from './errors.js';
import { preparedCall, type PreparedCall } from './prepared-call.js';
import { ToolServerUnreachableError } from './reachable.js';
import { ServerCatalogue } from './server-catalogue.js';
import type { OfferedTool, ServerSettings } from './settings.js';
import { Catalogue, refuseAmbiguous } from './tools/catalogue.js';
import type { ListedTool } from './tools/tool-list.js';

export interface ToolServersOptions {
  readonly servers: readonly ServerSettings[];
  readonly tier: Pick<ToolSessionTier, 'open' | 'drop'>;
  /** `tool.changed` (M2). */
  readonly onFact: (fact: Fact) => void;
  readonly onTrouble: (sentence: string, error?: unknown) => void;
  /** Who the servers are told is calling. */
  readonly name: string;
  readonly version: string;
}

/** The far side is gone, or cannot be told any more. */
const isLost: ReadonlySet<string> = new Set(['upstream-gone', 'handle-lost', 'host-lost']);

/** The tool servers of a host: what they offer, and calls of their tools through tool sessions. */
export class ToolServers {
  readonly #options: ToolServersOptions;
  readonly #servers: ReadonlyMap<string, ServerSettings>;
  readonly #catalogue = new Catalogue();
  readonly #lists = new Map<string, ServerCatalogue>();
  readonly #priors = new Map<string, PriorDiscovery>();
  readonly #runtime = new RuntimeConnections();

  /** @throws ToolServersRefusedError ERR_TOOL_SERVER_TWICE */
  constructor(options: ToolServersOptions) {
    this.#options = options;
    this.#servers = new Map(options.servers.map((settings) => [settings.name, settings]));
    if (this.#servers.size < options.servers.length) {
      throw new ToolServersRefusedError('ERR_TOOL_SERVER_TWICE', 'Two tool servers have one name. Give each its own.');
    }
    for (const settings of options.servers) {
      const list = new ServerCatalogue({
        settings,
        open: (signal) => this.#open(settings, { signal }),
        onListed: (listed) => this.#relisted(settings, listed),
        onTrouble: (error) => options.onTrouble(sentenceOf(error, settings.name)),
      });
      this.#lists.set(settings.name, list);
    }
  }

  /**
   * Lists every server's tools. A server that is not there is said, and listed when it comes back.
   * @throws ToolServersRefusedError ERR_TOOL_NAME_AMBIGUOUS where two tools have one name (M7)
   */
  async start(): Promise<void> {
    const lists = await Promise.all([...this.#lists.values()].map((list) => list.first()));
    for (const [n, settings] of this.#options.servers.entries()) {
      const listed = lists[n];
      if (listed) refuseAmbiguous(this.#catalogue.list(settings, listed).dropped);
    }
  }

  /** What is offered now. O(1). */
  tools(): readonly OfferedTool[] {
    return this.#catalogue.tools;
  }

  /**
   * Opens or joins the tool session of this call. Nothing of the call was sent.
   * @throws ToolCallError
   */
  async prepare(context: CallContext, server: string, tool: string): Promise<PreparedCall> {
    const offered = this.#catalogue.find(server, tool);
    const settings = this.#servers.get(server);
    if (!offered || !settings) throw new ToolCallError('ERR_TOOL_UNKNOWN', 'No tool server offers a tool of this name.');
    try {
      return await (holdsNothing(settings) ? this.#unheld(settings, offered) : this.#held(settings, offered, context));
    } catch (error) {
      if (error instanceof ToolCallError) throw error;
      const code = error instanceof DoorledgerError ? error.code : 'ERR_TOOL_SERVER_UNREACHABLE';
      throw new ToolCallError(code, sentenceOf(error, server), { errorClass: classOf(error) });
    }
  }

  /** Ends what was begun here; tool sessions end with their tier. */
  async close(): Promise<void> {
    await Promise.all([...this.#lists.values()].map((list) => list.close()));
  }

  async #held(settings: ServerSettings, offered: OfferedTool, context: CallContext): Promise<PreparedCall> {
    const { server, tool, scope } = offered;
    const { tier } = this.#options;
    const opened = await tier.open({ name: server, server, tool, scope, context }, async ({ toolSessionId }) => {
      const resource = await this.#open(settings, { onGone: () => tier.drop(toolSessionId, 'upstream-gone') });
      try {
        // Between two connections nobody hears of a change, and an approval stands for the tool as it was (N22).
        this.#relisted(settings, await resource.list());
        resource.pins = this.#catalogue.pins(settings.name);
      } catch (error) {
        await resource.close('terminate');
        throw error;
      }
      return {
        resource,
        stop: async (reason) => {
          const { failure } = await resource.close(isLost.has(reason) ? 'drop' : 'terminate');
          if (failure) throw failure;
        },
      };
    });
    if (opened.outcome === 'refused') throw new ToolCallError(opened.code, opened.sentence);
    const { resource: connection, toolSessionId } = opened;
    const onHandleLost = () => tier.drop(toolSessionId, 'handle-lost');
    return preparedCall({
      connection,
      tool,
      toolHash: hashAt(connection, offered),
      toolSessionId,
      onHandleLost,
      release: () => opened.release(),
    });
  }

  /** Under `per-call` nothing is held, so there is no tool session: a connection for this call alone (M25). */
  async #unheld(settings: ServerSettings, offered: OfferedTool): Promise<PreparedCall> {
    const connection = await this.#open(settings);
    const release = () => void connection.close('terminate');
    return preparedCall({ connection, tool: offered.tool, toolHash: hashAt(connection, offered), onHandleLost: () => {}, release });
  }

  async #open(settings: ServerSettings, some: Pick<ConnectionOptions, 'onGone' | 'signal'> = {}): Promise<Connection> {
    const { name, version, onTrouble } = this.#options;
    const open = async (prior: PriorDiscovery | undefined): Promise<Connection> => {
      const connection = await Connection.open({
        settings,
        client: { name, version },
        runtime: this.#runtime,
        pins: this.#catalogue.pins(settings.name),
        ...(prior && { prior }),
        onListChanged: (heardOn) => this.#lists.get(settings.name)?.changed(heardOn),
        ...some,
        onTrouble,
      });
      this.#priors.set(settings.name, connection.prior);
      return connection;
    };
    const prior = this.#priors.get(settings.name);
    try {
      return await open(prior);
    } catch (error) {
      this.#priors.delete(settings.name);
      const isOld =
        prior === undefined &&
        !some.signal?.aborted &&
        settings.transport.kind === 'stdio' &&
        error instanceof ToolServerUnreachableError &&
        error.isOldServer;
      if (isOld) return open({ kind: 'legacy' });
      throw error;
    }
  }

  #relisted(settings: ServerSettings, listed: readonly ListedTool[]): void {
    const { onFact, onTrouble } = this.#options;
    const { changed, dropped } = this.#catalogue.list(settings, listed);
    for (const one of changed) onFact({ type: 'tool.changed', data: { server: settings.name, ...one } });
    for (const name of dropped) {
      onTrouble(
        `The tool server "${settings.name}" now lists "${name}", a name another tool has already. It is not offered; rename one of the servers.`,
      );
    }
  }
}

const holdsNothing = ({ transport }: ServerSettings): boolean => transport.kind === 'agentcore' && transport.strategy === 'per-call';
const hashAt = (connection: Connection, offered: OfferedTool): string => connection.pins.get(offered.tool)?.hash ?? '';

/** What failed here has words of its own for a person; anything else is named by its class only (M6). */
function sentenceOf(error: unknown, server: string): string {
  return error instanceof DoorledgerError ? error.message : `The tool server "${server}" failed (${classOf(error)}).`;
}
