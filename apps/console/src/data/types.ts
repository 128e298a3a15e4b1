import type { CensusItem, ConsentItem, LifeCheck } from '@doorledger/client';

export type {
  CensusItem,
  ConsentItem,
  Grant,
  IngressItem,
  LifeCheck,
  SessionItem,
  ShownCall,
  TimelineItem,
  ToolCallItem,
  ToolSessionItem,
} from '@doorledger/client';

export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

/** A vote or a spend that was tried on a request. */
export interface Attempt {
  readonly kind: 'voted' | 'spent';
  readonly verdict?: string;
  readonly by?: string;
  readonly stands: boolean;
  readonly voidReason?: string;
  readonly at: string;
  readonly partition: number;
  readonly offset: number;
}

export interface ConsentDetail extends ConsentItem {
  readonly attempts: readonly Attempt[];
}

export interface Census {
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  /** Absent from a tenant's census: nobody knows whose they are. */
  readonly pending?: number;
  readonly unknown?: number;
  readonly items: readonly CensusItem[];
}

export interface CensusCheck extends Page<LifeCheck> {
  readonly addsUp: boolean;
}

export interface TopicStatus {
  readonly topic: string;
  readonly lag: number;
  readonly partitions: readonly { readonly partition: number; readonly start: number; readonly end: number; readonly applied: number; readonly lag: number }[];
}

export interface LogStatus {
  readonly place: string;
  readonly generation: number;
  readonly lag: number;
  readonly topics: readonly TopicStatus[];
  readonly quarantined: number;
  readonly digest?: { readonly sha256: string; readonly rows: number; readonly generation: number };
  readonly problems: readonly string[];
}

export interface Freeze {
  readonly freezeId: string;
  readonly target: { readonly kind: string; readonly name?: string };
  readonly why: string;
  readonly by: string;
  readonly setAt: string;
}

export interface ToolSessionSummary {
  readonly from: string;
  readonly live: number;
  readonly hosts: number;
  readonly leaked: number;
  readonly isMore: boolean;
  readonly started: number;
  readonly calls: number;
  readonly ended: readonly { readonly reason: string; readonly count: number; readonly failed: number }[];
  readonly longestCleanupMs?: number;
}

export interface QuarantinedRecord {
  readonly position: string;
  readonly type?: string;
  readonly why: string;
}
