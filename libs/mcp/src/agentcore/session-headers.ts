import { randomUUID } from 'node:crypto';

/** By it AgentCore Runtime chooses the microVM: 33 to 256 characters. */
export const RUNTIME_SESSION = 'x-amzn-bedrock-agentcore-runtime-session-id';
export const MCP_SESSION = 'mcp-session-id';

/** A runtime session nobody else has or can guess: 47 characters. */
export function newRuntimeSessionId(): string {
  return `doorledger-${randomUUID()}`;
}

/** The response with what the client is to see as its `Mcp-Session-Id`, or without any. A body that streams goes on streaming. */
export function withMcpSession(response: Response, shown: string | undefined): Response {
  const headers = new Headers(response.headers);
  if (shown === undefined) headers.delete(MCP_SESSION);
  else headers.set(MCP_SESSION, shown);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** What a server says to a GET when it has no stream of its own to offer; clients go on without one. */
export function noStreamHere(): Response {
  return new Response(null, { status: 405 });
}
