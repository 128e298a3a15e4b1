import { createHash } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import type { Message } from '@doorledger/agent';
import type { Citation, EventLog, HeldSession } from '@doorledger/event-log';
import type { LedgerReader, StandingContent } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import type { Said } from './turn-content.js';
import { TurnError } from './turn-error.js';

export interface HistoryOptions {
  readonly ledger: Pick<LedgerReader, 'messagesOf'>;
  readonly log: Pick<EventLog, 'recordAt'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
}

interface Sealed {
  readonly turnId: string;
  readonly keyId: string;
  /** Base64 of nonce ‖ ciphertext ‖ tag. */
  readonly sealed: string;
}

/** What was said in a session before, oldest first: from the ledger and, past it, by position from the private topic (L14). */
export function sessionHistory({ ledger, log, keys }: HistoryOptions): (key: string, held: HeldSession) => Promise<Said[]> {
  return async (key, held) => {
    const content = new Map<string, Sealed>();
    const { read, unread } = await ledger.messagesOf(key);
    for (const named of read) if (named.type === 'messages.added') content.set(placeOf(named), fromLedger(named));
    for (const cited of [...unread, ...held.citations]) {
      const place = placeOf(cited);
      if (content.has(place)) continue;
      const sealed = await fromLog(log, cited);
      if (sealed) content.set(place, sealed);
    }
    return Promise.all(
      [...content.values()].map(async (sealed) => ({ turnId: sealed.turnId, messages: await openMessages(keys, sealed) })),
    );
  };
}

const placeOf = ({ partition, offset }: { partition: number; offset: number }) => `${partition}:${offset}`;

const fromLedger = ({ turnId, keyId, sealed }: StandingContent): Sealed => ({
  turnId,
  keyId,
  sealed: Buffer.from(sealed).toString('base64'),
});

/** Undefined for content of another kind than messages. */
async function fromLog(log: HistoryOptions['log'], { partition, offset, hash }: Citation): Promise<Sealed | undefined> {
  const record = await log.recordAt({ topic: topics.private.name, partition, offset });
  const body = record?.decoded.body;
  if (record?.decoded.type !== 'messages.added') return undefined;
  const data = body?.data as (Sealed & { part?: { whole: string } }) | undefined;
  // Split content is put together by the ledger, which is at most moments behind.
  if (!data || data.part) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger has not read the last turn yet. Try again soon.');
  if (createHash('sha256').update(record.value!).digest('hex') !== hash) return undefined;
  return data;
}

async function openMessages(keys: HistoryOptions['keys'], { turnId, keyId, sealed }: Sealed): Promise<Message[]> {
  const text = await openContent(keys, { keyId, sealed }, { type: 'messages.added', subject: turnId });
  return JSON.parse(text.toString('utf8')) as Message[];
}
