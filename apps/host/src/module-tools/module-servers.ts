import { toolHash } from '@doorledger/consent';
import { DoorledgerError } from '@doorledger/contracts';
import type { CallEnd, OfferedTool, PreparedCall, ToolServers } from '@doorledger/mcp';
import { hostToolCall, type CallContext, type Scope, type ToolSessionTier } from '@doorledger/tool-sessions';
import { loadToolModule, type ModuleTool } from './tool-module.js';

export interface ModuleServer {
  readonly name: string;
  readonly module: string;
  readonly scope: Scope;
  readonly tools: Readonly<Record<string, { readonly timeoutMs?: number }>>;
  readonly callMs: number;
  readonly maxResultBytes: number;
}

type Send = PreparedCall['send'];
interface Offered {
  readonly offered: OfferedTool;
  readonly tool: ModuleTool;
  readonly server: ModuleServer;
}

class UnknownToolError extends DoorledgerError {}

/** Tools of the operator's own that run in the host, behind the same port as tool servers (T6). */
export class ModuleServers implements Pick<ToolServers, 'start' | 'tools' | 'prepare' | 'close'> {
  readonly #byName = new Map<string, Offered>();
  #tools: readonly OfferedTool[] = [];

  constructor(
    private readonly servers: readonly ModuleServer[],
    private readonly tier: ToolSessionTier,
    private readonly onTrouble: (sentence: string, error: unknown) => void,
  ) {}

  /** @throws ToolModuleError */
  async start(): Promise<void> {
    for (const server of this.servers)
      for (const [name, tool] of await loadToolModule(server.name, server.module)) {
        const { description, inputSchema = { type: 'object' } } = tool;
        const described = { name, ...(description !== undefined && { description }), inputSchema };
        const offered = {
          ...described,
          name: `${server.name}.${name}`,
          server: server.name,
          tool: name,
          hash: toolHash(described),
          scope: server.scope,
        };
        this.#byName.set(offered.name, { offered, tool, server });
      }
    this.#tools = [...this.#byName.values()].map(({ offered }) => offered);
  }

  tools(): readonly OfferedTool[] {
    return this.#tools;
  }

  async prepare(context: CallContext, server: string, tool: string): Promise<PreparedCall> {
    const found = this.#byName.get(`${server}.${tool}`);
    if (!found) throw new UnknownToolError('ERR_TOOL_UNKNOWN', 'No tool server offers a tool of this name.');
    return { toolHash: found.offered.hash, send: (args, options) => this.#run(found, context, args, options), release: () => {} };
  }

  async close(): Promise<void> {}

  /** Never rejects. A tool that does not end in time is left to itself, and its end is not known. */
  async #run(
    { tool, server, offered }: Offered,
    context: CallContext,
    args: Parameters<Send>[0],
    options: Parameters<Send>[1],
  ): Promise<CallEnd> {
    const began = performance.now();
    const durationMs = () => Math.round(performance.now() - began);
    const mayNot = options.signal.aborted ? 'Cancelled' : options.maySend?.() === false ? 'ERR_SEND_WINDOW' : undefined;
    if (mayNot)
      return { outcome: 'not-sent', errorClass: mayNot, mayDispatchAgain: mayNot === 'ERR_SEND_WINDOW', durationMs: durationMs() };
    const timeout = AbortSignal.timeout(server.tools[offered.tool]?.timeoutMs ?? server.callMs);
    const signal = AbortSignal.any([options.signal, timeout]);
    const host = hostToolCall({ tier: this.tier, server: server.name, tool: offered.tool, context, signal });
    try {
      const result = await Promise.race([(async () => await tool.run(structuredClone(args), host.call))(), aborted(signal)]);
      const { text, structured } = typeof result === 'string' ? { text: result, structured: undefined } : result;
      if (Buffer.byteLength(text) > server.maxResultBytes)
        return said('ERR_TOOL_RESULT_TOO_LARGE', `The result of ${offered.name} is larger than this host takes.`, durationMs());
      return { outcome: 'ok', text, ...(structured !== undefined && { structured }), files: [], durationMs: durationMs() };
    } catch (error) {
      if (timeout.aborted) return { outcome: 'unknown', errorClass: 'ERR_TOOL_CALL_TIMEOUT', durationMs: durationMs() };
      if (options.signal.aborted) return { outcome: 'cancelled', durationMs: durationMs() };
      this.onTrouble(`The tool ${offered.name} threw.`, error);
      return said(
        'ToolError',
        `The tool ${offered.name} answered with an error: ${error instanceof Error ? error.message : 'unknown'}`,
        durationMs(),
      );
    } finally {
      host.settle();
    }
  }
}

const said = (errorClass: string, text: string, durationMs: number): CallEnd => ({
  outcome: 'error',
  text,
  files: [],
  errorClass,
  durationMs,
});

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('Stopped.')), { once: true }));
