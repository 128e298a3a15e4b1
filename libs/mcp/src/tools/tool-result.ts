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
    ...(structuredContent !== undefined && { structured: structuredContent }),
    files: content.flatMap(fileOf),
  };
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
