import { setTimeout as sleep } from 'node:timers/promises';

/** How long the ledger is waited for when the log is ahead of it (P3), in ms. */
const WITHIN_MS = 2000;
const FIRST_WAIT_MS = 1;
const MAX_WAIT_MS = 50;

/**
 * Asks the ledger until it knows: at once and soon again, since it is mostly a moment behind the log, then every 50 ms. Undefined when it
 * does not know within two seconds (P3).
 * @param ask undefined while the ledger does not know; told how long it was waited for, in ms
 */
export async function askLedger<T>(ask: (waitedMs: number) => Promise<T | undefined>): Promise<T | undefined> {
  const began = performance.now();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    const waited = performance.now() - began;
    const known = await ask(waited);
    if (known !== undefined || waited > WITHIN_MS) return known;
    await sleep(wait);
  }
}
