import { whatBecame, type Became, type RequestRow } from './became.js';

/** What a host knows when it is asked whether a pause is closed for good. */
export interface CloseFacts {
  /** Every id the pause is known by (its state's, its facts', the one quoted), each with the ledger's row of it. */
  readonly ids: readonly { readonly id: string; readonly row?: RequestRow }[];
  /** The log the paused state was minted under; absent where none is recorded. */
  readonly mintedUnder?: string;
  /** The log this host reads. */
  readonly ledger: string;
  /** The log lives in the memory of this process, and the pause is stored outside of it. */
  readonly isLogVolatile?: boolean;
  /** How this host's own append of a close went; absent where it only reads. */
  readonly append?: 'acknowledged' | 'failed' | 'indefinite';
}

/** Why it cannot be proven that the call never ran (N33). */
export type Unproven =
  | 'no-request-recorded'
  | 'no-ledger-recorded'
  | 'other-ledger'
  | 'volatile-log'
  | 'close-failed'
  | 'close-indefinite'
  | 'no-standing-close';

export type CloseStatement =
  /** Each id has a standing close, which is the proof: the call never ran and never can (N31). */
  | { readonly isProven: true; readonly ids: readonly string[] }
  /** The close came second: the standing record says what became of the call. */
  | { readonly isProven: false; readonly why: 'settled'; readonly id: string; readonly became: Became }
  | { readonly isProven: false; readonly why: Unproven; readonly sentence: string };

const sentences: Readonly<Record<Unproven, string>> = {
  'no-request-recorded': 'The paused state names no request, so no record can be looked for.',
  'no-ledger-recorded': 'The paused state does not say under which log its request was minted.',
  'other-ledger': 'The request was minted under another log; only that log can say what became of it.',
  'volatile-log': 'The log is kept in memory and the pause is not: an earlier process may have spent it unseen.',
  'close-failed': 'The close was not written. Try again.',
  'close-indefinite': 'Nobody knows yet whether the close was written. Ask again once the log answers.',
  'no-standing-close': 'No close of this request stands.',
};

export const unprovenSentence = (why: Unproven): string => sentences[why];

/**
 * Whether a pause is provably closed (N31–N33). A retried close reads the standing record, so it gets the same statement
 * however its own append went (N32).
 */
export function closeStatement({ ids, mintedUnder, ledger, isLogVolatile, append }: CloseFacts): CloseStatement {
  if (ids.length === 0) return unproven('no-request-recorded');
  if (mintedUnder === undefined) return unproven('no-ledger-recorded');
  if (mintedUnder !== ledger) return unproven('other-ledger');
  if (isLogVolatile) return unproven('volatile-log');
  for (const { id, row } of ids) {
    if (row?.status === 'closed') continue;
    if (row && row.status !== 'pending') return { isProven: false, why: 'settled', id, became: whatBecame(row) };
    if (append === 'failed') return unproven('close-failed');
    return unproven(append === 'indefinite' ? 'close-indefinite' : 'no-standing-close');
  }
  return { isProven: true, ids: ids.map(({ id }) => id) };
}

const unproven = (why: Unproven): CloseStatement => ({ isProven: false, why, sentence: sentences[why] });
