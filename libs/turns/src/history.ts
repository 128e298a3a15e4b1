import type { Message } from '@doorledger/agent';
import type { EventLog, HeldSession } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import { openedHistories, type OpenedContent, type OpenedHistory } from './opened-history.js';
import { sealedAt, sealedOf, type SealedRecord } from './sealed-record.js';
import type { Said } from './turn-content.js';

export interface HistoryOptions {
  readonly ledger: Pick<LedgerReader, 'messagesOf'>;
  readonly log: Pick<EventLog, 'recordAt'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
}

const nothing: OpenedHistory = { until: -1, content: [] };

/**
 * What was said in a session before, oldest first: from the ledger and, past it, by position from the private topic (L14). What the ledger
 * had at the last call is kept in memory; a key that was destroyed since refuses it all the same (X2).
 */
export function sessionHistory({ ledger, log, keys }: HistoryOptions): (key: string, held: HeldSession) => Promise<Said[]> {
  const histories = openedHistories();

  async function opened(place: string, sealed: SealedRecord): Promise<OpenedContent> {
    const { turnId, keyId } = sealed;
    const text = await openContent(keys, sealed, { type: 'messages.added', subject: turnId });
    return { place, turnId, keyId, text: text.toString('utf8') };
  }

  return async (key, held) => {
    const known = histories.get(key) ?? nothing;
    const { read, unread, readUntil } = await ledger.messagesOf(key, known.until);
    try {
      for (const keyId of new Set(known.content.map((one) => one.keyId))) await keys.keyById(keyId);
    } catch (error) {
      histories.delete(key);
      throw error;
    }
    const content = [...known.content];
    const places = new Set(content.map(({ place }) => place));
    for (const named of read) {
      const place = placeOf(named);
      if (named.type !== 'messages.added' || places.has(place)) continue;
      places.add(place);
      content.push(await opened(place, sealedOf(named)));
    }
    if (readUntil !== undefined) histories.set(key, { until: readUntil, content: [...content] });
    for (const cited of [...unread, ...held.citations]) {
      const place = placeOf(cited);
      if (places.has(place)) continue;
      places.add(place);
      const sealed = await sealedAt(log, cited, 'messages.added');
      if (sealed) content.push(await opened(place, sealed));
    }
    return content.map(({ turnId, text }) => ({ turnId, messages: JSON.parse(text) as Message[] }));
  };
}

const placeOf = ({ partition, offset }: { partition: number; offset: number }) => `${partition}:${offset}`;
