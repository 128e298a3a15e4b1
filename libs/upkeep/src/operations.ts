import type { EventOrigin } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import type { LedgerReader, UpkeepReader } from '@doorledger/ledger';
import type { ContentKeys, References } from '@doorledger/privacy';
import { erase } from './erasure.js';
import { readErasure } from './erasure-target.js';
import { UpkeepError } from './errors.js';
import { listBlockedSessions, repairSession } from './repair.js';
import { applyRetention } from './retention.js';
import { CUTTABLE, planRetention } from './retention-plan.js';

/** What operators' work is done with, by a running process or in its stead (X4). */
export interface UpkeepParts {
  readonly log: EventLog;
  readonly keys: Pick<ContentKeys, 'destroy'>;
  readonly ledger: LedgerReader;
  readonly records: UpkeepReader;
  readonly references: References;
  readonly origin: EventOrigin;
}

type Fields = Readonly<Record<string, unknown>>;

/** Who the facts name when a command is given: whoever may read the data folder or the deployment key. */
const COMMAND_LINE = { subject: 'command-line' };

const MAX_AGE_MS = 100 * 365 * 86_400_000;

/** Work on the records that commands ask for, by name; fields are as they came in. Each throws UpkeepError for what is wrong with them. */
export const operations = {
  erase: async (fields: Fields, parts: UpkeepParts) => erase(readErasure(fields, parts.references), operatorOf(parts), parts),

  /** With `apply`, cuts what it says would go. */
  retain: async ({ olderThanMs, topics = CUTTABLE, apply, ...others }: Fields, parts: UpkeepParts) => {
    const isAge = typeof olderThanMs === 'number' && Number.isSafeInteger(olderThanMs) && olderThanMs > 0 && olderThanMs < MAX_AGE_MS;
    const areTopics = Array.isArray(topics) && topics.length > 0 && topics.every((topic) => CUTTABLE.includes(topic as string));
    if (!isAge || !areTopics || Object.keys(others).length > 0)
      throw new UpkeepError('ERR_INVALID_QUERY', 'Retention takes an age and, of the topics, `ingress` and `private` only.');
    const now = parts.origin.now();
    const cutoff = now - olderThanMs;
    const cuts = await planRetention({ topics: topics as string[], cutoff, now }, parts);
    if (apply === true) await applyRetention(cuts, { cutoff, by: operatorOf(parts) }, parts);
    return { isApplied: apply === true, cutoff: new Date(cutoff).toISOString(), cuts };
  },

  blocked: async (_: Fields, parts: UpkeepParts) => ({ blocked: await listBlockedSessions(parts) }),

  repair: async ({ key }: Fields, parts: UpkeepParts) => {
    if (typeof key !== 'string') throw new UpkeepError('ERR_INVALID_QUERY', 'Name the key that is blocked.');
    return { repaired: await repairSession(key, operatorOf(parts), parts) };
  },
} satisfies Record<string, (fields: Fields, parts: UpkeepParts) => Promise<object>>;

export type OperationName = keyof typeof operations;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

const operatorOf = ({ references }: UpkeepParts): string => references.userRef(COMMAND_LINE);
