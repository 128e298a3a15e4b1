import { createHash } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import type { EventLog, HeldSession } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import { readPausedTurn, type PausedTurn } from './paused-turn.js';

export interface StoredPauseOptions {
  readonly ledger: Pick<LedgerReader, 'messagesOf'>;
  readonly log: Pick<EventLog, 'recordAt'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
}

interface Sealed {
  readonly turnId: string;
  readonly keyId: string;
  readonly sealed: string;
}

/**
 * The state that the session's last pause was stored with, wherever its turn was paused (L4). Undefined where there is none, or it cannot
 * be read: a decision on it is refused by name (N13). Never throws for what is stored.
 */
export function storedPause({ ledger, log, keys }: StoredPauseOptions) {
  return async (key: string, held: HeldSession): Promise<PausedTurn | undefined> => {
    const sealed = (await citedPause(log, held)) ?? (await ledgerPause(ledger, key));
    if (!sealed) return undefined;
    try {
      const text = await openContent(keys, sealed, { type: 'pause.stored', subject: sealed.turnId });
      return readPausedTurn(text.toString('utf8'));
    } catch {
      return undefined;
    }
  };
}

/** What the own tail has met past the ledger's row, newest first. Split content is put together by the ledger alone. */
async function citedPause(log: StoredPauseOptions['log'], { citations }: HeldSession): Promise<Sealed | undefined> {
  for (const { partition, offset, hash } of [...citations].reverse()) {
    const record = await log.recordAt({ topic: topics.private.name, partition, offset });
    if (record?.decoded.type !== 'pause.stored') continue;
    const data = record.decoded.body?.data as (Sealed & { readonly part?: unknown }) | undefined;
    const isWhole = data && !data.part && createHash('sha256').update(record.value!).digest('hex') === hash;
    return isWhole ? data : undefined;
  }
  return undefined;
}

async function ledgerPause(ledger: StoredPauseOptions['ledger'], key: string): Promise<Sealed | undefined> {
  const last = (await ledger.messagesOf(key)).findLast(({ type }) => type === 'pause.stored');
  return last && { turnId: last.turnId, keyId: last.keyId, sealed: Buffer.from(last.sealed).toString('base64') };
}
