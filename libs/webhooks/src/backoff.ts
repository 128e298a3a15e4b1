const FIRST_MS = 2_000;
const GROWTH = 3;
const LONGEST_MS = 6 * 3_600_000;
/** A receiver may ask for more time than that, but not for ever. */
const LONGEST_ASKED_MS = 24 * 3_600_000;

/**
 * How long to wait after try number `tries` (1 is the first) has failed, in ms: from 2 s on three times as long each time, to 6 h, less up to
 * half of it by chance, so that those who failed together do not come back together. At least as long as the receiver asked for, up to a day.
 */
export function waitAfter(tries: number, retryAfterMs = 0, random = Math.random): number {
  const longest = Math.min(FIRST_MS * GROWTH ** (tries - 1), LONGEST_MS);
  return Math.max(Math.round(longest * (1 - random() / 2)), Math.min(retryAfterMs, LONGEST_ASKED_MS));
}
