/** The backstops of a tier (T30, T31, S4). */
export interface TierLimits {
  /** Idle time at which a tool session is let go, in ms, from the end of its last call. */
  readonly idleMs: number;
  /** Longest life of a tool session in ms, calls in flight or not. */
  readonly maxAgeMs: number;
  /** Live tool sessions of the tier. */
  readonly live: number;
  /** Live tool sessions of one person. Callers whom nobody can tell apart share only the tier's limit. */
  readonly perPerson: number;
  /** Longest wait for one cleanup, in ms; it is then left to itself. */
  readonly cleanupMs: number;
}

export const defaultTierLimits: TierLimits = {
  idleMs: 900_000,
  maxAgeMs: 8 * 3_600_000,
  live: 64,
  perPerson: 16,
  cleanupMs: 5_000,
};
