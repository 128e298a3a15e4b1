import { topics, type EventOrigin } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import type { LedgerReader, UpkeepReader } from '@doorledger/ledger';
import { sayDurably } from './durable-facts.js';
import { UpkeepError } from './errors.js';
import { hasReadAll } from './ledger-reach.js';

export interface RepairParts {
  readonly log: Pick<EventLog, 'append' | 'ends' | 'recordAt'>;
  readonly ledger: Pick<LedgerReader, 'positions'>;
  readonly records: Pick<UpkeepReader, 'blocked'>;
  readonly origin: EventOrigin;
}

/** A session, or a turn without one, that answers 503 until the record is dealt with (L8). */
export interface BlockedSession {
  readonly key: string;
  readonly partition: number;
  readonly offset: number;
  /** The record's type where it can be read. */
  readonly type?: string;
  readonly reason: 'no readable type' | 'unreadable body';
}

const LEDGER_MS = 5000;

/** Every blocked key with the record that blocks it and what is wrong with that. */
export async function listBlockedSessions({ log, records }: Pick<RepairParts, 'log' | 'records'>): Promise<BlockedSession[]> {
  const { name: topic } = topics.session;
  return Promise.all(
    (await records.blocked()).map(async ({ key, partition, offset }) => {
      const type = (await log.recordAt({ topic, partition, offset }))?.decoded.type;
      return {
        key,
        partition,
        offset,
        ...(type !== undefined && { type }),
        reason: type === undefined ? 'no readable type' : 'unreadable body',
      };
    }),
  );
}

/**
 * Treats the record that blocks a key as void, on an operator's word; resolves once the ledger has folded it.
 * @throws UpkeepError `ERR_NOT_FOUND`: nothing blocks this key; `ERR_LEDGER_BEHIND`, `ERR_LOG_UNAVAILABLE`
 */
export async function repairSession(key: string, by: string, parts: RepairParts): Promise<BlockedSession> {
  const blocked = (await listBlockedSessions(parts)).find((one) => one.key === key);
  if (!blocked) throw new UpkeepError('ERR_NOT_FOUND', 'No record blocks this key: doorledger repair lists those that do.');
  const { partition, offset } = blocked;
  // A turn without a session has its id for a key: the fact carries it as a reference, without its dashes.
  const data = { sessionRef: key.replaceAll('-', ''), position: { partition, offset }, treatAs: 'void', by } as const;
  await sayDurably(parts, topics.session.name, [{ key, fact: { type: 'session.repaired', data } }]);
  if (!(await hasReadAll(parts.log, parts.ledger, topics.session.name, LEDGER_MS)))
    throw new UpkeepError('ERR_LEDGER_BEHIND', 'The repair is on the log, and the ledger has not read it yet. See that a projector runs.');
  return blocked;
}
