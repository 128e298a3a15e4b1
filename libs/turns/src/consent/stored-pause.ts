import type { EventLog, HeldSession } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import { sealedAt, sealedOf, type SealedRecord } from '../sealed-record.js';
import { readPausedTurn, type PausedTurn } from './paused-turn.js';

export interface StoredPauseOptions {
  readonly ledger: Pick<LedgerReader, 'messagesOf' | 'turn'>;
  readonly log: Pick<EventLog, 'recordAt'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
}

/**
 * The state that the session's last pause was stored with, wherever its turn was paused (L4). Undefined where there is none, or it cannot
 * be read: a decision on it is refused by name (N13). Never throws for what is stored; where it is not known yet, `ERR_LEDGER_BEHIND`.
 */
export function storedPause({ ledger, log, keys }: StoredPauseOptions) {
  return async (key: string, held: HeldSession): Promise<PausedTurn | undefined> => {
    const sealed = (await citedPause(log, held)) ?? (await namedPause({ ledger, log }, key, held));
    if (!sealed) return undefined;
    try {
      const text = await openContent(keys, sealed, { type: 'pause.stored', subject: sealed.turnId });
      return readPausedTurn(text.toString('utf8'));
    } catch {
      return undefined;
    }
  };
}

/** What the own tail has met past the ledger's row, newest first. */
async function citedPause(log: StoredPauseOptions['log'], { citations }: HeldSession): Promise<SealedRecord | undefined> {
  for (const cited of [...citations].reverse()) {
    const stored = await sealedAt(log, cited, 'pause.stored');
    if (stored) return stored;
  }
  return undefined;
}

/**
 * What the ledger's row of the paused turn names. The ledger reads each partition by itself: where it has not come to the content yet, it is
 * read from the log, for an earlier pause must not pass for this one.
 */
async function namedPause(
  { ledger, log }: Pick<StoredPauseOptions, 'ledger' | 'log'>,
  key: string,
  { state }: HeldSession,
): Promise<SealedRecord | undefined> {
  const row = state.paused && (await ledger.turn(state.paused.turnId));
  if (!row || row.private_partition === null || row.private_offset === null || row.private_hash === null) return undefined;
  const named = { partition: row.private_partition, offset: row.private_offset, hash: row.private_hash };
  const read = (await ledger.messagesOf(key)).read.find(
    ({ partition, offset }) => partition === named.partition && offset === named.offset,
  );
  return read ? sealedOf(read) : sealedAt(log, named, 'pause.stored');
}
