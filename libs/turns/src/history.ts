import type { Message } from '@doorledger/agent';
import type { EventLog, HeldSession } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import { sealedAt, sealedOf, type SealedRecord } from './sealed-record.js';
import type { Said } from './turn-content.js';

export interface HistoryOptions {
  readonly ledger: Pick<LedgerReader, 'messagesOf'>;
  readonly log: Pick<EventLog, 'recordAt'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
}

/** What was said in a session before, oldest first: from the ledger and, past it, by position from the private topic (L14). */
export function sessionHistory({ ledger, log, keys }: HistoryOptions): (key: string, held: HeldSession) => Promise<Said[]> {
  return async (key, held) => {
    const content = new Map<string, SealedRecord>();
    const { read, unread } = await ledger.messagesOf(key);
    for (const named of read) if (named.type === 'messages.added') content.set(placeOf(named), sealedOf(named));
    for (const cited of [...unread, ...held.citations]) {
      const place = placeOf(cited);
      if (content.has(place)) continue;
      const sealed = await sealedAt(log, cited, 'messages.added');
      if (sealed) content.set(place, sealed);
    }
    return Promise.all(
      [...content.values()].map(async (sealed) => ({ turnId: sealed.turnId, messages: await openMessages(keys, sealed) })),
    );
  };
}

const placeOf = ({ partition, offset }: { partition: number; offset: number }) => `${partition}:${offset}`;

async function openMessages(keys: HistoryOptions['keys'], { turnId, keyId, sealed }: SealedRecord): Promise<Message[]> {
  const text = await openContent(keys, { keyId, sealed }, { type: 'messages.added', subject: turnId });
  return JSON.parse(text.toString('utf8')) as Message[];
}
