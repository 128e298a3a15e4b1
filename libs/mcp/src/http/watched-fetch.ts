import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { callIdOf } from '../requests/answer-id.js';
import type { ConnectionGuard } from '../requests/connection-guard.js';
import type { CallEntry, RequestLedger } from '../requests/request-ledger.js';
import { tooOldToSend } from '../errors.js';
import type { HttpWire } from './http-wire.js';
import { waitAfter } from './retry-wait.js';

export interface WatchedFetchOptions {
  readonly wire: HttpWire;
  readonly ledger: RequestLedger;
  readonly guard: ConnectionGuard;
  readonly strict: boolean;
  /** Of an answer to a call, and of any other message. */
  readonly maxResultBytes: number;
  readonly maxMessageBytes: number;
  /** The server answered 404 under a session id: it does not know the session any more (M4). */
  readonly onSessionGone: () => void;
}

/**
 * The `fetch` of a pooled connection. It claims a call by the id it reads from the body it is about to send (M10) and runs
 * its retry series: 429 only, at most three tries (M3), none under strict mode (M13). A series stops on the cancel, the
 * call's or the connection's signal and the call settling (M18).
 */
export function watchedFetch(options: WatchedFetchOptions): FetchLike {
  const { wire, ledger, guard, strict, maxResultBytes, maxMessageBytes, onSessionGone } = options;
  return async (url, init = {}) => {
    if (init.method === 'DELETE') guard.check('DELETE');
    const isPost = init.method === 'POST';
    const entry = isPost && ledger.isSending && typeof init.body === 'string' ? claimOf(ledger, init.body) : undefined;
    const { signal } = init; // The watched send put the call's own stop into it.
    let waited = 0;
    let wait = 0;
    for (let n = 1; ; n++) {
      signal?.throwIfAborted();
      const response = await wire.fetch(url, init, {
        maxMessageBytes: entry ? maxResultBytes : maxMessageBytes,
        onLeave: () => {
          if (!entry) return;
          // A connection may have taken long to come about, or a wait (L2).
          if (entry.maySend?.() === false) throw tooOldToSend();
          entry.replay.left = true;
          entry.replay.tries++;
        },
        onTooLarge: () => entry?.onLoss('too-large'),
      });
      entry?.replay.statuses.push(response.status);
      if (entry && (response.status === 429 || n > 1)) entry.onTry?.({ try: n, httpStatus: response.status, waitMs: wait });
      if (response.status === 404 && new Headers(init.headers).has('mcp-session-id')) {
        if (entry) entry.replay.sessionGone = true;
        onSessionGone();
      }
      if (response.status !== 429 || !isPost || (entry && (strict || entry.once))) return response;
      const next = waitAfter(n, waited, response.headers.get('retry-after'), Date.now(), Math.random());
      if (next === undefined) return response;
      await response.body?.cancel();
      wait = next;
      waited += next;
      await sleep(next, undefined, signal ? { signal } : {});
    }
  };
}

function claimOf(ledger: RequestLedger, body: string): CallEntry | undefined {
  const id = callIdOf(body);
  return id === undefined ? undefined : ledger.claim(id);
}
