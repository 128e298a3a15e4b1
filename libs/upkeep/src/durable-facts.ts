import { encode, eventOf, type EventOrigin, type Fact } from '@doorledger/contracts';
import { AppendIndefiniteError, appendUntilDurable, type EventLog } from '@doorledger/event-log';
import { UpkeepError } from './errors.js';

const SAY_MS = 5000;

export interface KeyedFact {
  readonly key: string;
  readonly fact: Fact;
}

/** Appends facts of one topic; durable when it resolves. @throws UpkeepError `ERR_LOG_UNAVAILABLE` */
export async function sayDurably(
  { log, origin }: { readonly log: Pick<EventLog, 'append'>; readonly origin: EventOrigin },
  topic: string,
  facts: readonly KeyedFact[],
): Promise<void> {
  const until = performance.now() + SAY_MS;
  const records = facts.map(({ key, fact }) => ({ key, ...encode(eventOf(fact, origin)) }));
  try {
    await appendUntilDurable(log, topic, records, () => performance.now() > until);
  } catch (error) {
    if (!(error instanceof AppendIndefiniteError)) throw error;
    throw new UpkeepError('ERR_LOG_UNAVAILABLE', 'The log did not confirm this in time; it may hold all the same. Do it once more.', {
      cause: error,
    });
  }
}
