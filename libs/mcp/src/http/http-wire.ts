import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { MessageBudget } from './message-budget.js';

/** Idle connections are not kept for longer: a request on one that the server is just closing would end `unknown`. */
const KEEP_ALIVE_MS = 1_500;
const WITHOUT_BODY = new Set([204, 205, 304]);

export interface WireOptions {
  /** From here on a byte may have left the host: before, the request was provably not sent (M4). What it throws keeps it here. */
  readonly onLeave?: () => void;
  readonly maxMessageBytes: number;
  readonly onTooLarge?: () => void;
}

/**
 * HTTP for one pooled connection. Not the global `fetch`: that one ends any answer after five silent minutes (M8), does not
 * tell a request that never left from one that may have, and reads bodies of any size (M6).
 */
export class HttpWire {
  readonly #http = new HttpAgent({ keepAlive: true, timeout: KEEP_ALIVE_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, timeout: KEEP_ALIVE_MS });

  /** As `fetch`, with string bodies. Redirects are not followed: credentials and calls go where the operator said. */
  fetch(url: string | URL, init: RequestInit, options: WireOptions): Promise<Response> {
    const target = new URL(url);
    const isSecure = target.protocol === 'https:';
    const signal = init.signal ?? undefined;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const sending = (isSecure ? httpsRequest : httpRequest)(target, {
        agent: isSecure ? this.#https : this.#http,
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(signal && { signal }),
      });
      // Nothing is written, not even a header, before the connection is there.
      const leave = () => {
        try {
          options.onLeave?.();
          sending.end(typeof init.body === 'string' ? init.body : undefined);
        } catch (error) {
          sending.destroy(error as Error);
        }
      };
      sending.once('socket', (socket) => {
        if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', leave);
        else leave();
      });
      // More than one may come, and one that nobody hears ends the process.
      sending.on('error', reject);
      sending.once('response', (answer) => {
        answer.on('error', () => {});
        try {
          resolve(responseOf(answer, options));
        } catch (error) {
          // A status or a header that no answer may have.
          reject(new Error('The answer is no HTTP answer.', { cause: error }));
          answer.destroy();
        }
      });
    });
  }

  /** Ends every connection, whatever is on it. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

function responseOf(answer: IncomingMessage, options: WireOptions): Response {
  const status = answer.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    // Whoever reads the answer would follow it, and send the call again.
    if (name === 'location') continue;
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  if (WITHOUT_BODY.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(bodyOf(answer, options), { status, headers });
}

function bodyOf(answer: IncomingMessage, options: WireOptions): ReadableStream<Uint8Array> {
  const budget = new MessageBudget(options.maxMessageBytes, (answer.headers['content-type'] ?? '').startsWith('text/event-stream'));
  let isOpen = true;
  return new ReadableStream<Uint8Array>({
    start(body) {
      const fail = (error: Error) => {
        if (!isOpen) return;
        isOpen = false;
        body.error(error);
        answer.destroy();
      };
      answer.on('data', (chunk: Buffer) => {
        if (!isOpen) return;
        if (!budget.take(chunk)) {
          options.onTooLarge?.();
          return fail(new Error('The answer is larger than the configured bound.'));
        }
        body.enqueue(chunk);
        if ((body.desiredSize ?? 0) <= 0) answer.pause();
      });
      answer.once('end', () => {
        if (!isOpen) return;
        isOpen = false;
        body.close();
      });
      answer.once('error', fail);
      answer.once('close', () => fail(new Error('The connection closed before the answer was whole.')));
    },
    pull() {
      answer.resume();
    },
    cancel() {
      isOpen = false;
      answer.destroy();
    },
  });
}
