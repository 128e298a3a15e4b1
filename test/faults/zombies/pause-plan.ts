/** When and for how long a host is stopped. */
export interface PlannedPause {
  /** Which host, [0, 1). */
  readonly at: number;
  readonly awayMs: number;
  /**
   * Stopped at the so manyth record of this kind that comes of a burst of calls: a dispatch on the log is not sent yet, or is just
   * being sent, when its host stops. `none`: at any moment.
   */
  readonly after: 'tool-call.dispatched' | 'turn.claimed' | 'none';
  readonly nth: number;
  /** The next one begins while this one lasts. */
  readonly overlaps: boolean;
  readonly calmMs: number;
}

export interface PausePlanOptions {
  readonly random: () => number;
  readonly shortestMs: number;
  readonly longestMs: number;
  /** How many calls a burst has. */
  readonly burst: number;
}

/** Endless; the same for the same random numbers. Half of the pauses outlive a lease of 30 s where they may. */
export function* planPauses({ random, shortestMs, longestMs, burst }: PausePlanOptions): Generator<PlannedPause, never> {
  for (;;) {
    const after = (['tool-call.dispatched', 'tool-call.dispatched', 'turn.claimed', 'none'] as const)[Math.floor(random() * 4)]!;
    const isLong = random() < 0.5;
    const [from, to] = isLong ? [Math.min(30_500, longestMs), longestMs] : [shortestMs, Math.min(30_000, longestMs)];
    yield {
      at: random(),
      awayMs: from + (to - from) * random(),
      after,
      nth: 1 + Math.floor(random() * (after === 'turn.claimed' ? burst : 3)),
      overlaps: random() < 0.25,
      calmMs: 500 + 2500 * random(),
    };
  }
}
