import type { LedgerReader } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import { sealedOf } from '../sealed-record.js';
import { readPausedTurn, type PausedTurn } from './paused-turn.js';

export interface EarlierPauseOptions {
  readonly ledger: Pick<LedgerReader, 'messagesOf'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
}

/** Which pause: the one that a request was asked in. */
export interface AskedIn {
  readonly key: string;
  readonly turnId: string;
  readonly requestId: string;
}

/** The state that a turn was paused with, after it went on. Undefined where it is erased or cannot be read. */
export function earlierPause({ ledger, keys }: EarlierPauseOptions) {
  return async ({ key, turnId, requestId }: AskedIn): Promise<PausedTurn | undefined> => {
    const { read } = await ledger.messagesOf(key);
    for (const stored of read) {
      if (stored.type !== 'pause.stored' || stored.turnId !== turnId) continue;
      try {
        const text = await openContent(keys, sealedOf(stored), { type: 'pause.stored', subject: turnId });
        const paused = readPausedTurn(text.toString('utf8'));
        if (paused?.request?.pending.id === requestId) return paused;
      } catch {
        // Erased, or another format: another pause may be the one.
      }
    }
    return undefined;
  };
}
