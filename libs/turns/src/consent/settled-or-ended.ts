import { setTimeout as sleep } from 'node:timers/promises';
import type { Effect, HeldSession } from '@doorledger/event-log';

/** Resolves true when the request that is being resumed is settled, or its run has ended. */
export async function settledOrEnded(held: HeldSession, ms: number): Promise<boolean> {
  if (!held.state.run) return true;
  let stop!: () => void;
  const happened = new Promise<true>((resolve) => {
    stop = held.watch((effect: Effect) => (effect.kind === 'request-settled' || effect.kind === 'run-ended') && resolve(true));
  });
  try {
    return await Promise.race([happened, sleep(ms, false, { ref: false })]);
  } finally {
    stop();
  }
}
