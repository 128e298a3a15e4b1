import { createHash } from 'node:crypto';
import { topics, type FactType } from '@doorledger/contracts';
import type { Citation, EventLog } from '@doorledger/event-log';
import { TurnError } from './turn-error.js';

/** Private content as its record holds it. */
export interface SealedRecord {
  readonly turnId: string;
  readonly keyId: string;
  /** Base64 of nonce ‖ ciphertext ‖ tag. */
  readonly sealed: string;
}

/**
 * Content by the place and hash that a standing record names (L10). Undefined for another kind of content, and where the hash is another.
 * @throws TurnError `ERR_LEDGER_BEHIND` for split content: the ledger puts it together, and is at most moments behind
 */
export async function sealedAt(
  log: Pick<EventLog, 'recordAt'>,
  { partition, offset, hash }: Citation,
  type: FactType,
): Promise<SealedRecord | undefined> {
  const record = await log.recordAt({ topic: topics.private.name, partition, offset });
  if (record?.decoded.type !== type) return undefined;
  const data = record.decoded.body?.data as (SealedRecord & { readonly part?: unknown }) | undefined;
  if (!data || data.part) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger has not read all of this session yet. Try again soon.');
  return createHash('sha256').update(record.value!).digest('hex') === hash ? data : undefined;
}

/** The same from the ledger. */
export const sealedOf = ({ turnId, keyId, sealed }: Omit<SealedRecord, 'sealed'> & { readonly sealed: Uint8Array }): SealedRecord => ({
  turnId,
  keyId,
  sealed: Buffer.from(sealed).toString('base64'),
});
