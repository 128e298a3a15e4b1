import type { FetchLike } from '@modelcontextprotocol/client';
import { SessionsNeededError } from './errors.js';
import { MCP_SESSION, newRuntimeSessionId, noStreamHere, RUNTIME_SESSION, withMcpSession } from './session-headers.js';

const ERROR_BYTES = 65_536;
/** How servers refuse a request outside a session: the codes of the official SDKs for a missing, unknown or not initialized one. */
const STRANGER = new Set([-32000, -32001, -32600]);

/**
 * The strategy `per-call`: a runtime session of its own for every request, and no trace of it kept (M25). What only makes sense inside a
 * session is answered here: a DELETE has nothing to end, and a stream would come from a microVM that nobody talks to.
 */
export function perCallFetch(inner: FetchLike): FetchLike {
  return async (url, init) => {
    if (init?.method === 'DELETE') return new Response(null, { status: 204 });
    if (init?.method !== 'POST') return noStreamHere();
    const headers = new Headers(init.headers);
    headers.delete(MCP_SESSION);
    headers.set(RUNTIME_SESSION, newRuntimeSessionId());
    const response = await inner(url, { ...init, headers });
    return withMcpSession(isAfterHandshake(headers) ? await unlessToStranger(response) : response, undefined);
  };
}

/** A client names the version in a header once it was agreed; since 2026-07-28, where no sessions are, the method stands beside it. */
function isAfterHandshake(headers: Headers): boolean {
  return headers.has('mcp-protocol-version') && !headers.has('mcp-method');
}

/** @throws SessionsNeededError when the server, not the runtime in front of it, refuses a request for want of a session */
async function unlessToStranger(response: Response): Promise<Response> {
  if (response.status !== 400 && response.status !== 404) return response;
  const text = await readAtMost(response, ERROR_BYTES);
  if (STRANGER.has(errorCodeOf(text) ?? 0)) throw new SessionsNeededError();
  return new Response(text, { status: response.status, statusText: response.statusText, headers: response.headers });
}

/** The code of a JSON-RPC error; the runtime's own refusals are JSON too, but not that. */
function errorCodeOf(text: string): number | undefined {
  try {
    const { jsonrpc, error } = JSON.parse(text) as { jsonrpc?: unknown; error?: { code?: unknown } };
    return jsonrpc === '2.0' && typeof error?.code === 'number' ? error.code : undefined;
  } catch {
    return undefined;
  }
}

async function readAtMost(response: Response, bytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let room = bytes;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
    if (room <= 0) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
