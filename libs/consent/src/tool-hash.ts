import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** A tool as the approver sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
}

/**
 * N1: hex SHA-256 of canonicalJson({name, description, inputSchema}). Whatever else a server says of its tool changes nothing.
 * @throws UnbindableError for a definition JSON cannot write down.
 */
export function toolHash({ name, description, inputSchema }: ToolDefinition): string {
  return createHash('sha256').update(canonicalJson({ name, description, inputSchema }), 'utf8').digest('hex');
}
