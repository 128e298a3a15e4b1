import { setTimeout as sleep } from 'node:timers/promises';
import { APIConnectionError, APIError } from 'openai';

const TRIES = 3;
/** All waits of one request together. Past it whoever asked is told instead. */
const MAX_WAIT_MS = 30_000;

/**
 * Sends a request up to three times, as long as no answer began: after 429, 408, 409, 5xx and where nobody could be reached.
 * `Retry-After` is honoured. The package's own tries wait as long as a provider says and do not hear an abort meanwhile.
 * @throws what the last try threw; at once, what `signal` was aborted with
 */
export async function tryAgain<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let waited = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      signal.throwIfAborted();
      const wait = tries < TRIES ? waitAfter(error, tries) : undefined;
      if (wait === undefined || waited + wait > MAX_WAIT_MS) throw error;
      waited += wait;
      await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** In ms; undefined where another try would change nothing. */
function waitAfter(error: unknown, tries: number): number | undefined {
  const backOff = 500 * 2 ** (tries - 1) * (1 - Math.random() / 2);
  if (error instanceof APIConnectionError) return backOff;
  if (!(error instanceof APIError)) return undefined;
  const { status, headers } = error as { status?: number; headers?: Headers };
  if (status === undefined || headers?.get('x-should-retry') === 'false') return undefined;
  if (status !== 408 && status !== 409 && status !== 429 && status < 500) return undefined;
  return headers ? (retryAfter(headers) ?? backOff) : backOff;
}

function retryAfter(headers: Headers): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  const after = headers.get('retry-after') ?? '';
  const asked = [ms, Number(after || NaN) * 1000, Date.parse(after) - Date.now()].find(Number.isFinite);
  return asked === undefined ? undefined : Math.max(0, asked);
}
