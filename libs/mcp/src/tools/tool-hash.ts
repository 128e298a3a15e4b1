import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Hex SHA-256 of the RFC 8785 canonical JSON of {name, description, inputSchema}: what an approver saw (N1, M2). */
export function toolHash(tool: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}): string {
  const { name, description, inputSchema } = tool;
  const text = canonicalize({ name, ...(description !== undefined && { description }), inputSchema });
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex');
}
