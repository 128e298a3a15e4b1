import type { PartitionTime } from '@doorledger/event-log';
import type { Chain } from '@doorledger/proof/chain';

/** How far a partition is folded: its time (L1) and the chain over its records (V1), which move with it in one transaction. */
export interface Place extends PartitionTime {
  /** Absent where no record was folded yet. */
  readonly chain?: Chain;
}
