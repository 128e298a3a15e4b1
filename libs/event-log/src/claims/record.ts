import { isFrozenType, readFrozen, type FrozenRecord } from '@doorledger/contracts';
import type { StoredRecord } from '../stored-record.js';

export interface RecordPlace {
  readonly partition: number;
  readonly offset: number;
}

/** A record of the session topic as the fold sees it: its kind, and of its body the frozen fields alone (L8). */
export interface SessionRecord {
  readonly position: RecordPlace;
  /** The event's id, equal in every copy. */
  readonly id?: string;
  readonly type?: string;
  /** turnId, requestId or callId by type; known even when the body cannot be read. */
  readonly subject?: string;
  /** Absent when the type has no part in claims, or when its frozen fields cannot be read. */
  readonly frozen?: FrozenRecord;
}

/** Kind, id and subject come from the headers; the body only adds the frozen fields. Never throws. */
export function readSessionRecord(stored: StoredRecord): SessionRecord {
  const { type, id, subject, body } = stored.decoded;
  const frozen = isFrozenType(type) ? readFrozen(type, body?.data) : undefined;
  return { position: { partition: stored.partition, offset: stored.offset }, id, type, subject, frozen };
}
