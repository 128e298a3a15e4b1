/** Taken from the budget, or refused until a turn of the last hour is past. */
export type Taken = { readonly isTaken: true } | { readonly isTaken: false; readonly retryAfterS: number };

/**
 * Counts turns over a rolling hour, by minutes: a turn counts until the 61st minute after its own begins, so that no 60 minutes hold more than
 * `limit`. What is refused counts for nothing.
 */
export interface BudgetStore {
  /** Takes one turn of `limit` per hour for `key`, or none; of callers that race for the last one, one gets it. */
  take(key: string, limit: number): Promise<Taken>;
}

/** The minutes a turn counts in: its own, and 60 whole ones. */
export const MINUTES_COUNTED = 61;

/** Seconds from `seconds` until the turns of `minute` count no more. */
export const secondsUntilPast = (minute: number, seconds: number): number =>
  Math.max(1, Math.ceil((minute + MINUTES_COUNTED) * 60 - seconds));
