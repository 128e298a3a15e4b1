import type { AnyFactEvent, FactData } from '@doorledger/contracts';
import { GRANT_NAMESPACE, type StoredRecord } from '@doorledger/event-log';
import { readEvent } from './readable.js';

/** What a record of a grant says; `timestamp` is the log's, epoch ms. */
export type GrantRecord = { readonly grantId: string; readonly timestamp: number; readonly offset: number } & (
  | { readonly type: 'grant.created'; readonly data: FactData<'grant.created'> }
  /** Without data: a use that cannot be read. */
  | { readonly type: 'grant.used'; readonly data?: FactData<'grant.used'> }
  | { readonly type: 'grant.revoked'; readonly data?: FactData<'grant.revoked'> }
);

const PREFIX = `${GRANT_NAMESPACE}/`;

/** The key of everything about a grant on the topic `spend`: one partition's order decides (N52). */
export const grantKey = (grantId: string): string => PREFIX + grantId;

/**
 * A record of the topic `spend` as one of a grant; undefined for another. What cannot be read lets nothing run: a use counts as one, and
 * what may have been a revocation is one.
 */
export function readGrantRecord(record: StoredRecord): GrantRecord | undefined {
  if (!record.key.startsWith(PREFIX)) return undefined;
  const { offset, timestamp, decoded } = record;
  const of = { grantId: record.key.slice(PREFIX.length), timestamp, offset };
  const reading = readEvent(record);
  const event = reading && 'event' in reading && isOf(reading.event, of.grantId) ? reading.event : undefined;
  switch (decoded.type) {
    case 'grant.created':
      return event?.type === 'grant.created' ? { ...of, type: event.type, data: event.data } : undefined;
    case 'grant.used':
      return { ...of, type: 'grant.used', ...(event?.type === 'grant.used' && { data: event.data }) };
    case 'grant.revoked':
    case undefined:
      return { ...of, type: 'grant.revoked', ...(event?.type === 'grant.revoked' && { data: event.data }) };
    default:
      return undefined;
  }
}

const isOf = ({ data }: AnyFactEvent, grantId: string): boolean => 'grantId' in data && data.grantId === grantId;
