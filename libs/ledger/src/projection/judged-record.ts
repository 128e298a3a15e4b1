import type { AnyFactEvent } from '@doorledger/contracts';
import type { SessionState, StoredRecord, Verdict } from '@doorledger/event-log';

/** A record of the session topic with what the fold made of it. `event` is absent where its body breaks the schema (L8). */
export interface JudgedRecord {
  readonly record: StoredRecord;
  readonly event?: AnyFactEvent;
  readonly verdict: Verdict;
  /** The session right after it. */
  readonly state: SessionState;
  /** Whose session it is, where there are tenants. */
  readonly tenantRef: string | null;
}

export const voidReason = (verdict: Verdict): string | null =>
  verdict.stands || verdict.waits || verdict.isIgnored ? null : verdict.reason;
