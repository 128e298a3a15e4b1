/** The clock of one partition (L1), made from the log's own timestamps: a fold has no other. */
export interface PartitionTime {
  /** The offset after the last record folded. */
  readonly next: number;
  /** Leader epoch of the last record; -1 before the first. */
  readonly epoch: number;
  /** Log timestamp of the last record, ms since the Unix epoch. */
  readonly timestamp: number;
  /** Fold time in ms: leases are judged by it, dates never are (L11). */
  readonly T: number;
}

/** What the fold of one record needs to know of time. */
export type FoldTime = Pick<PartitionTime, 'T' | 'timestamp'>;

export const startOfPartition: PartitionTime = { next: 0, epoch: -1, timestamp: 0, T: 0 };

/**
 * The time at a record of the partition. T grows only between neighbours of one leader epoch: brokers' clocks differ, so
 * across a change of leader it does not move, and a clock that steps back does not take it back.
 */
export function advance(
  time: PartitionTime,
  record: { readonly offset: number; readonly epoch: number; readonly timestamp: number },
): PartitionTime {
  const passed = record.epoch === time.epoch ? Math.max(0, record.timestamp - time.timestamp) : 0;
  return { next: record.offset + 1, epoch: record.epoch, timestamp: record.timestamp, T: time.T + passed };
}
