import type { Endpoint } from './endpoint.js';
import { signatureOf } from './signature.js';

/** What came of one try; `error` is a class such as `ECONNREFUSED` or `timeout`, never a text of somebody else's. */
export type AttemptEnd =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'failed';
      /** 410: never again. */
      readonly isGone: boolean;
      readonly status?: number;
      readonly error?: string;
      readonly retryAfterMs?: number;
    };

export interface AttemptOptions {
  readonly endpoint: Pick<Endpoint, 'url' | 'secrets'>;
  readonly event: { readonly id: string; readonly body: string };
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: number;
}

const GONE = 410;
/** An answer up to this size is read, which keeps the connection; of a larger one nothing is. */
const SMALL_ANSWER_BYTES = 64 * 1024;

/**
 * Sends an event once. Only 2xx is a delivery: a redirect is not followed, because its target was not configured. Never throws.
 */
export async function attempt({ endpoint, event, timeoutMs, signal, now }: AttemptOptions): Promise<AttemptEnd> {
  const { id, body } = event;
  const timestamp = Math.floor(now / 1000);
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'doorledger',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf({ id, timestamp, body }, endpoint.secrets),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await passOver(response);
    const { status, ok } = response;
    if (ok) return { kind: 'delivered' };
    const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), now);
    return { kind: 'failed', isGone: status === GONE, status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  } catch (error) {
    return { kind: 'failed', isGone: false, error: classOf(error) };
  }
}

/** What the answer says does not count, and neither does its end. */
async function passOver(response: Response): Promise<void> {
  const length = Number(response.headers.get('content-length') ?? Infinity);
  await (length <= SMALL_ANSWER_BYTES ? response.arrayBuffer() : response.body?.cancel())?.catch(() => undefined);
}

/** Seconds or an HTTP date, as ms from now on. */
function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

function classOf(error: unknown): string {
  const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: unknown } };
  if (name === 'TimeoutError') return 'timeout';
  return typeof cause?.code === 'string' && /^\w{1,60}$/.test(cause.code) ? cause.code : 'network';
}
