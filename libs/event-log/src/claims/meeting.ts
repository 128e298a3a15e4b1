import type { StoredRecord } from '../stored-record.js';
import type { SessionState } from './state.js';
import type { Verdict } from './verdict.js';

/** A record that is waited for. */
export interface Meeting {
  readonly met: Promise<Met>;
  forget(): void;
}

/** What the fold made of a record when the own tail met it. */
export interface Met {
  readonly verdict: Verdict;
  readonly record: StoredRecord;
  /** The state right after it. */
  readonly state: SessionState;
}
