import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolFile } from '../call-end.js';

/** What an agent gets of a result (M1): text blocks joined by newline, any other block as `[type]`; structured content as it came. */
export interface ReadResult {
  readonly text: string;
  readonly structured?: unknown;
  readonly files: readonly ToolFile[];
}

export function readResult(result: CallToolResult): ReadResult {
  const { content, structuredContent } = result;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'),
    ...(structuredContent !== undefined && isShallow(structuredContent) && { structured: structuredContent }),
    files: content.flatMap(fileOf),
  };
}

/** As deep as anything here is written down; what is deeper could not be put into the history, and its call would be lost with it. */
const MAX_DEPTH = 200;

/** Level by level, so that no nesting is too deep to be looked at. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one as Record<string, unknown>) : []));
    if (level.length === 0) return true;
  }
  return false;
}

function fileOf(block: ContentBlock): ToolFile[] {
  switch (block.type) {
    case 'image':
    case 'audio':
      return [{ mimeType: block.mimeType, bytes: Buffer.from(block.data, 'base64') }];
    case 'resource': {
      const { resource } = block;
      const mimeType = resource.mimeType ?? 'application/octet-stream';
      return 'blob' in resource ? [{ mimeType, bytes: Buffer.from(resource.blob, 'base64'), ...nameOf(resource.uri) }] : [];
    }
    default:
      return [];
  }
}

/** The last part of a resource's address, where it has one. */
function nameOf(uri: string): { name?: string } {
  const last = uri.split(/[?#]/)[0]?.split('/').at(-1);
  return last ? { name: last.slice(0, 200) } : {};
}
