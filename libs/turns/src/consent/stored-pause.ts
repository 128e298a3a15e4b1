import { createHash } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import type { Citation, EventLog, HeldSession } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import { TurnError } from '../turn-error.js';
import { readPausedTurn, type PausedTurn } from './paused-turn.js';

export interface StoredPauseOptions {
  readonly ledger: Pick<LedgerReader, 'messagesOf' | 'turn'>;
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
async function citedPause(log: StoredPauseOptions['log'], { citations }: HeldSession): Promise<Sealed | undefined> {
  for (const cited of [...citations].reverse()) {
    const stored = await pauseAt(log, cited);
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
): Promise<Sealed | undefined> {
  const row = state.paused && (await ledger.turn(state.paused.turnId));
  if (!row || row.private_partition === null || row.private_offset === null || row.private_hash === null) return undefined;
  const named = { partition: row.private_partition, offset: row.private_offset, hash: row.private_hash };
  const read = (await ledger.messagesOf(key)).read.find(
    ({ partition, offset }) => partition === named.partition && offset === named.offset,
  );
  if (!read) return pauseAt(log, named);
  return { turnId: read.turnId, keyId: read.keyId, sealed: Buffer.from(read.sealed).toString('base64') };
}

/** Undefined for another kind of content. @throws TurnError where it is split: the ledger alone puts it together */
async function pauseAt(log: StoredPauseOptions['log'], { partition, offset, hash }: Citation): Promise<Sealed | undefined> {
  const record = await log.recordAt({ topic: topics.private.name, partition, offset });
  if (record?.decoded.type !== 'pause.stored') return undefined;
  const data = record.decoded.body?.data as (Sealed & { readonly part?: unknown }) | undefined;
  if (data?.part) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger has not read this pause yet. Try again soon.');
  return createHash('sha256').update(record.value!).digest('hex') === hash ? data : undefined;
}
