import { randomUUID } from 'node:crypto';
import type { FetchLike } from '@modelcontextprotocol/client';
import { AgentCoreSettingsError } from './errors.js';
import { RUNTIME_SESSION } from './session-headers.js';

const INVOCATIONS = /\/invocations$/;

/**
 * Where `StopRuntimeSession` is: beside the URL that is invoked, `…/runtimes/<arn>/stopruntimesession?qualifier=…`.
 * @throws AgentCoreSettingsError when the URL does not tell
 */
export function stopUrlBeside(invocations: URL): URL {
  if (!INVOCATIONS.test(invocations.pathname)) {
    throw new AgentCoreSettingsError(
      'ERR_AGENTCORE_STOP_URL',
      'The strategy reuse has to stop sessions. Give a url that ends in /invocations, or set stopUrl.',
    );
  }
  const url = new URL(invocations);
  url.pathname = url.pathname.replace(INVOCATIONS, '/stopruntimesession');
  return url;
}

export interface StopAsk {
  readonly fetch: FetchLike;
  readonly url: URL;
  /** Credentials and whatever else the settings say. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | null;
}

/**
 * Ends a runtime session, microVM and all. Answers as an MCP server answers a DELETE: 204 when it ended or was not there any more (S6),
 * else the status the runtime gave. Rejects when the runtime cannot be reached or is silent for `timeoutMs` (M5).
 */
export async function stopRuntimeSession(ask: StopAsk, runtimeSessionId: string): Promise<Response> {
  const timeout = AbortSignal.timeout(ask.timeoutMs);
  const headers = new Headers(ask.headers);
  headers.set(RUNTIME_SESSION, runtimeSessionId);
  headers.set('content-type', 'application/json');
  const response = await ask.fetch(ask.url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ clientToken: randomUUID() }),
    // Credentials go where the settings say and nowhere else.
    redirect: 'manual',
    signal: ask.signal ? AbortSignal.any([ask.signal, timeout]) : timeout,
  });
  await response.body?.cancel();
  return new Response(null, { status: response.ok || response.status === 404 ? 204 : response.status });
}
