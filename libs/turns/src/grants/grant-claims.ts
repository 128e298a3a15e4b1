import { encode, eventOf, topics, type EventOrigin, type Fact } from '@doorledger/contracts';
import { appendAndMeet, type EventLog } from '@doorledger/event-log';
import { grantKey } from '@doorledger/ledger';
import { TurnError } from '../turn-error.js';
import type { GrantBook } from './grant-book.js';
import type { GrantVerdict } from './grant-fold.js';

export interface GrantClaimsOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly book: Pick<GrantBook, 'meet'>;
  readonly origin: EventOrigin;
  /** How long to wait until the own tail meets a record, ms. */
  readonly timeoutMs?: number;
}

/** Appends facts of grants and tells what the fold made of them when the own tail met them by their event ids (L7). */
export class GrantClaims {
  constructor(private readonly options: GrantClaimsOptions) {}

  /** @throws TurnError `ERR_LOG_UNAVAILABLE`: whether it is on the log is not known */
  async append(fact: Fact<'grant.created' | 'grant.used' | 'grant.revoked'>): Promise<GrantVerdict> {
    const { log, book, origin, timeoutMs = 5000 } = this.options;
    const event = eventOf(fact, origin);
    const record = { key: grantKey(fact.data.grantId), ...encode(event) };
    try {
      return await appendAndMeet({ log, topic: topics.spend.name, record, meeting: book.meet(event.id), timeoutMs });
    } catch (cause) {
      throw new TurnError('ERR_LOG_UNAVAILABLE', 'The log did not confirm this in time; it may hold all the same. Look, or try again.', {
        cause,
      });
    }
  }
}
