import type { Tool } from '@modelcontextprotocol/client';
import { ToolServerError } from '../errors.js';
import { UnbindableError, toolHash } from '@doorledger/consent';

const MAX_PAGES = 64;
const MAX_TOOLS = 2_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** A name as facts can carry it. */
const MAX_NAME = 200;

/** A definition as a server gave it, pinned by its hash (M2), without what would make the client judge results (M1). */
export interface ListedTool {
  readonly definition: Tool;
  readonly hash: string;
}

export interface ToolPage {
  readonly tools: readonly Tool[];
  readonly nextCursor?: string | undefined;
}

/**
 * Reads a server's tools to the last page (M7): at most 64 pages, 2 000 tools, 4 MiB of definitions.
 * @throws ToolServerError ERR_TOOL_LIST_CURSOR for a cursor that comes back, ERR_TOOL_LIST_TOO_LARGE past a bound
 */
export async function readToolList(server: string, fetchPage: (cursor: string | undefined) => Promise<ToolPage>): Promise<ListedTool[]> {
  const listed: ListedTool[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await fetchPage(cursor);
    for (const definition of page.tools) {
      bytes += Buffer.byteLength(JSON.stringify(definition));
      if (listed.length >= MAX_TOOLS || bytes > MAX_BYTES) throw tooLarge(server);
      if (definition.name === '' || definition.name.length > MAX_NAME) continue;
      const { outputSchema: _outputSchema, ...kept } = definition;
      const hash = hashOf(kept);
      if (hash !== undefined) listed.push({ definition: kept, hash });
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return listed;
    if (seen.has(cursor)) {
      throw new ToolServerError(
        'ERR_TOOL_LIST_CURSOR',
        `The tool server "${server}" repeats a cursor: its tool list has no end. Mend the server.`,
      );
    }
    seen.add(cursor);
    if (pages >= MAX_PAGES) throw tooLarge(server);
  }
}

/** Undefined for a definition that no approval could be bound to (N4): such a tool is not offered. */
function hashOf(definition: Tool): string | undefined {
  try {
    return toolHash(definition);
  } catch (error) {
    if (error instanceof UnbindableError) return undefined;
    throw error;
  }
}

const tooLarge = (server: string): ToolServerError =>
  new ToolServerError(
    'ERR_TOOL_LIST_TOO_LARGE',
    `The tool server "${server}" lists more than ${MAX_PAGES} pages, ${MAX_TOOLS} tools or ${MAX_BYTES / 1024 / 1024} MiB. Split it into several servers.`,
  );
