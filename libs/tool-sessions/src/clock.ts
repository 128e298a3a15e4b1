/** Time as the tier sees it: it goes on evenly whatever is done to the machine's date. */
export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  /** Runs `run` once, `ms` from now, and keeps no process alive for it; answers how to call it off. */
  after(ms: number, run: () => void): () => void;
}

/** A longer `setTimeout` would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const processClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(Math.ceil(ms), LONGEST_MS)).unref();
    return () => clearTimeout(timer);
  },
};
