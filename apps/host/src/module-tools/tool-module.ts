import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DoorledgerError } from '@doorledger/contracts';
import type { HostToolCall } from '@doorledger/tool-sessions';

/** What a tool in the host answers: a text, or a text with structured content. */
export type ModuleResult = string | { readonly text: string; readonly structured?: unknown };

/** A tool that runs in the host. */
export interface ModuleTool {
  readonly description?: string;
  /** JSON Schema of the arguments; an object of any kind where it is left out. */
  readonly inputSchema?: object;
  /** Throws to answer with an error: the agent reads its message. */
  run(args: Readonly<Record<string, unknown>>, call: HostToolCall): ModuleResult | Promise<ModuleResult>;
}

/** A module of the operator's could not be used. */
class ToolModuleError extends DoorledgerError {}

/**
 * The tools that an ES module exports as `tools`, by name (T6).
 * @param path of the module's file, from the working directory unless absolute
 * @throws ToolModuleError ERR_TOOL_MODULE
 */
export async function loadToolModule(server: string, path: string): Promise<ReadonlyMap<string, ModuleTool>> {
  const file = resolve(path);
  const problem = (why: string, cause?: unknown) =>
    new ToolModuleError('ERR_TOOL_MODULE', `The tools of ${server}, in the module ${file}, ${why}.`, { cause });
  let exported: { readonly tools?: unknown };
  try {
    exported = (await import(pathToFileURL(file).href)) as typeof exported;
  } catch (cause) {
    throw problem('could not be loaded', cause);
  }
  const { tools } = exported;
  if (typeof tools !== 'object' || tools === null) throw problem('are not there: it must export `tools`, an object of them by name');
  const entries = Object.entries(tools as Readonly<Record<string, Partial<ModuleTool> | null>>);
  const wrong = entries.find(([name, tool]) => !/^[A-Za-z0-9._-]{1,200}$/.test(name) || typeof tool?.run !== 'function');
  if (wrong) throw problem(`are not all tools: ${JSON.stringify(wrong[0])} needs a plain name and a method run()`);
  return new Map(entries as [string, ModuleTool][]);
}
