/** The bounds of the ingress record (E4–E6, E11), in one place. */
export const limits = {
  /** E6: refusals of one cause that are records, per second; the rest of that second is counted. */
  recordsPerCause: 50,
  /** E4: what is no record is counted per minute. */
  minuteMs: 60_000,
  /** E6: a shorter window: what a killed host had counted and not yet written is lost to it. */
  floodWindowMs: 10_000,
  /** E11: a count is closed at 6 KiB: its places, and room for the rest of the fact. */
  seqsBytes: 5 * 1024,
  /** Counts that are open at once; the oldest is closed for another cause. */
  openCounts: 256,
  /** E5: refusals that wait for the log; past them they are counted as not written. */
  bufferedRecords: 10_000,
  /** Closed counts that wait for the log. */
  bufferedCounts: 200,
  /** E8: at most one append of refusals in so many ms. */
  batchEveryMs: 20,
  batchRecords: 500,
  batchBytes: 256 * 1024,
} as const;
