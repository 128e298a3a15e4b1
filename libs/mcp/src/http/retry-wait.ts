/** A series has at most this many tries, and waits at most this long in all (M3). */
export const MAX_TRIES = 3;
export const MAX_WAIT_MS = 10_000;
const FIRST_WAIT_MS = 200;

/**
 * How long to wait after try `n` was answered 429, in milliseconds; undefined when the series ends (M3): what the server asks
 * for, else 200·2^(n−1) with half jitter.
 *
 * @param retryAfter the header, seconds or an HTTP date
 * @param random in [0, 1)
 */
export function waitAfter(n: number, waited: number, retryAfter: string | null, now: number, random: number): number | undefined {
  if (n >= MAX_TRIES) return undefined;
  const backoff = FIRST_WAIT_MS * 2 ** (n - 1);
  const wait = asked(retryAfter, now) ?? Math.round(backoff / 2 + (backoff / 2) * random);
  return waited + wait > MAX_WAIT_MS ? undefined : wait;
}

function asked(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined;
  const text = retryAfter.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // An HTTP date begins with the day of the week; Date.parse() reads far more than that.
  const at = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
