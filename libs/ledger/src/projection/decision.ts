import { createHash } from 'node:crypto';
import { readDecisionSpend } from '@doorledger/event-log';
import type { Projection } from './projection.js';

/** The row that a key of the topic `spend` has. */
export const keyPrint = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Spends of other people's ledgers (N40); the table keeps the first of each key. */
export const projectDecision: Projection = (record, changes) => {
  const spend = readDecisionSpend(record);
  if (!spend) return undefined;
  const { partition, key, timestamp } = record;
  const { offset, claimId } = spend;
  changes.put('decision', { key_print: keyPrint(key), partition, offset, claim_id: claimId, at: timestamp });
  return undefined;
};
